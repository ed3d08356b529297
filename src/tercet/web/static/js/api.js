// Requests to our own server: the token on every POST, and patience when it does not answer.

const token = () => document.querySelector('meta[name="csrf-token"]').content;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

async function request(path, options) {
  const response = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  if (response.ok) return response.json();
  let detail = response.statusText;
  try {
    detail = (await response.json()).detail ?? detail;
  } catch {
    // Not ours: a proxy's page, perhaps. The status says enough.
  }
  throw new Refused(response.status, String(detail));
}

export function get(path) {
  return request(path, {});
}

// Sends until the server has it. What is sent names the question by its key, so that the server knows an
// answer that arrives twice. Only a refusal that will not change ends this.
export async function post(path, body, onTrouble = () => {}) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await request(path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-csrf-token": token() },
        body: JSON.stringify(body),
      });
      onTrouble(null);
      return result;
    } catch (error) {
      const final = error instanceof Refused && error.status < 500 && ![408, 429].includes(error.status);
      if (final) throw error;
      onTrouble(error);
      await pause(Math.min(8000, 500 * 2 ** attempt));
    }
  }
}
