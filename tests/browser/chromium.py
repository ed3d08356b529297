"""Find a Chromium for the tests, or install Debian's: python tests/browser/chromium.py."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """Return the path of a Chromium, or None."""
    named = os.environ.get("TERCET_CHROMIUM")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, NAMES)), None)


def arguments():
    """Return what it is started with: nothing that reaches out, and as root no sandbox."""
    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--autoplay-policy=no-user-gesture-required",
    ]
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*quiet, "--no-sandbox"] if is_root else quiet


def install():
    """Install Debian's package, as root or by sudo without a password; return whether that worked."""
    apt = shutil.which("apt-get")
    if apt is None:
        return False
    prefix = []
    if os.geteuid() != 0:
        sudo = shutil.which("sudo")
        if sudo is None or subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode:
            return False
        prefix = [sudo, "-n"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
        if subprocess.run([*prefix, apt, *command], env=environment, check=False).returncode:
            return False
    return True


def main():
    """Make sure that there is one."""
    if find() or (install() and find()):
        sys.stdout.write(f"Chromium for the browser tests: {find()}\n")
        return 0
    sys.stderr.write(
        "The browser tests need Chromium, and none was found or could be installed. Install it (on Debian: "
        "sudo apt-get install chromium) or set TERCET_CHROMIUM to where it is.\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
