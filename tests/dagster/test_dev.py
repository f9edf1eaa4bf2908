"""`python -m tcab_dagster.dev` prepares DAGSTER_HOME below the home."""

from pathlib import Path

import pytest

from tcab_dagster.dev import PROJECT, dagster_command, dagster_environment, main
from tcab_dagster.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "test-cases").mkdir()
    return Settings.load({"TCAB_HOME": str(tmp_path / "home")}, root=tmp_path)


def test_everything_of_dagster_lies_below_the_home(settings: Settings) -> None:
    environment = dagster_environment(settings)

    assert environment["DAGSTER_HOME"] == str(settings.home / "dagster")
    assert environment["TCAB_HOME"] == str(settings.home)
    assert environment["TCAB_CHECKOUT"] == str(settings.checkout)
    linked = settings.home / "dagster" / "dagster.yaml"
    assert linked.resolve() == PROJECT / "dagster.yaml"


def test_a_moved_project_is_linked_again(settings: Settings) -> None:
    dagster_environment(settings, project=Path("/gone"))
    dagster_environment(settings)

    assert (settings.home / "dagster" / "dagster.yaml").resolve() == PROJECT / "dagster.yaml"


def test_a_users_own_dagster_yaml_stays(settings: Settings) -> None:
    own = settings.home / "dagster" / "dagster.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("telemetry: {enabled: false}\n")
    dagster_environment(settings)

    assert own.read_text() == "telemetry: {enabled: false}\n"


def test_the_command_names_files_that_exist() -> None:
    command = dagster_command("127.0.0.1", 3000)

    assert Path(command[command.index("--workspace") + 1]).is_file()


def test_a_folder_that_is_no_catalog_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--root", str(tmp_path)], environment={})

    assert ended.value.code == 2
    assert "holds neither test-cases/ nor game-jams/" in capsys.readouterr().err
