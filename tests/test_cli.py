import subprocess
import sys

import pytest

import tercet
from tercet.cli import main


def test_simulate_prints_a_table_and_draws_a_picture(tmp_path, capsys):
    assert main(["simulate", "--runs", "1", "--queries", "6", "--out", str(tmp_path / "new" / "folder")]) == 0
    printed = capsys.readouterr()
    assert "1NN accuracy" in printed.out
    assert "triplet accuracy" in printed.out
    assert printed.out.count("Nonredundant") == 2
    assert printed.out.count("\n  Latent ") == 2  # the default
    assert "24/24" in printed.err  # the progress bar
    assert (tmp_path / "new" / "folder" / "wine.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulate", "--runs", "0"], "'0' is not a whole number of at least 1"),
        (["simulate", "--runs", "1.5"], "'1.5' is not a whole number of at least 1"),
        (["simulate", "--seed", "-1"], "'-1' is not a whole number of at least 0"),
        (["simulate", "--queries", "many"], "'many' is not a whole number"),
        (["dance"], "invalid choice: 'dance'"),
        ([], "required: VERB"),
    ],
)
def test_wrong_arguments_are_named(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert message in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_an_error_before_the_work(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert main(["simulate", "--out", str(tmp_path / "file")]) == 1
    assert "tercet:" in capsys.readouterr().err


def test_datasets_lists_all_eight(shared_data, capsys):
    assert main(["datasets", "--data-dir", str(shared_data)]) == 0
    printed = capsys.readouterr().out
    for name in ("Breast", "Parkinson", "Segment", "Soybean", "Wave", "Wine", "Yeast", "HJA Birdsong"):
        assert name in printed


def test_a_data_folder_that_is_not_there_is_named(tmp_path, capsys):
    assert main(["datasets", "--data-dir", str(tmp_path / "nowhere")]) == 1
    assert "nowhere" in capsys.readouterr().err


def test_as_a_module():
    result = subprocess.run(
        [sys.executable, "-m", "tercet", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout == f"tercet {tercet.__version__}\n"
