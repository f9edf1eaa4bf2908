"""The job `launch_runs`: what a person fills in to have agents run.

Belongs here: the form, its checks, and the requests it files. Does not: starting a run (the sensor
`run_requests` does) or choosing an image (execution/).
Concept: docs/operate.md, "Launching runs".
"""

from collections.abc import Sequence
from typing import Literal, cast

import dagster as dg
from pydantic import Field, create_model

from assets import markdown as md
from assets.failures import told_in_one_line
from assets.partitions import register, runs
from resources import HomeResource
from tcab_dagster.catalog.catalog import find_key, load_catalog
from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.catalog.store import Store
from tcab_dagster.errors import TcabError, UsageError
from tcab_dagster.execution import check_launch, new_request
from tcab_dagster.harnesses.registry import HARNESSES
from tcab_dagster.home import Home
from tcab_dagster.records import RunRequest
from tcab_dagster.settings import Settings

MAX_TRIALS = 100
MAX_HOURS = 48.0
ALL_VARIANTS = "all"
LATEST = "latest"


class Launch(dg.Config):
    """Runs to launch: a case, who plays it, and how often.

    Bounds are checked by `faults_of`, not by pydantic: Dagster would show pydantic's own
    traceback in place of a sentence.
    """

    case: str = Field(description="The slug of a case of the catalog.")
    version: str = Field(default=LATEST, description="Such as `v1.0.0`, or `latest`.")
    variant: str = Field(
        default="",
        description="A variant's slug, or `all`. Empty: the version's default variant.",
    )
    harness: str = Field(description="The agent's command line. See `tcab harnesses`.")
    model: str = Field(
        default="",
        description="As the harness names it; for `replay` a recording. Empty: the harness's own.",
    )
    trials: int = Field(default=1, description=f"Runs per variant, 1 to {MAX_TRIALS}.")
    max_runtime_hours: float = Field(
        default=0.0,
        description=f"Longest session, up to {MAX_HOURS:g}. 0: the case's own limit.",
    )


def launch_job(cases: Sequence[str]) -> dg.JobDefinition:
    """The job, its form offering `cases` and the harnesses that work as choices.

    Without cases, as before the first ingest, any text is taken and checked when launched.
    """
    form = create_model(
        "LaunchRuns",
        __base__=Launch,
        __doc__=Launch.__doc__,
        case=(_choice(cases), Field(description=Launch.model_fields["case"].description)),
        harness=(
            _choice(sorted(HARNESSES)),
            Field(description=Launch.model_fields["harness"].description),
        ),
    )

    def launch(context: dg.OpExecutionContext, config: Launch, home: HomeResource) -> None:
        with told_in_one_line():
            opened = home.open()
            requests = requests_for(config, opened, home.settings())
            for request in requests:
                opened.file_request(request)
            register(context.instance, runs, [request.run_id for request in requests])
        context.log.info("filed " + ", ".join(request.run_id for request in requests))
        rows = [
            [md.text(r.run_id), md.text(r.variant), f"{r.max_runtime_hours:g} h"] for r in requests
        ]
        context.add_output_metadata(
            {
                "runs": len(requests),
                "filed": dg.MetadataValue.md(md.table(["run", "variant", "limit"], rows)),
            }
        )

    launch.__annotations__["config"] = form
    op = dg.op(name="launch", description="Files one request per variant and trial.")(launch)

    @dg.job(
        name="launch_runs",
        executor_def=dg.in_process_executor,
        description="Have agents run a case: fill in the form in the Launchpad.",
    )
    def launch_runs() -> None:
        op()

    return launch_runs


def requests_for(config: Launch, home: Home, settings: Settings) -> list[RunRequest]:
    """One request per variant and trial, none of them filed yet.

    Raises UsageError naming every fault of the form, and what a harness lacks.
    """
    faults = faults_of(config)
    if faults:
        raise UsageError("nothing was launched: " + "; ".join(faults))
    case = chosen_version(config, Store(home))
    requests = [
        new_request(
            case,
            variant,
            config.harness,
            config.model or None,
            config.max_runtime_hours or None,
            launched_by="dagster",
        )
        for variant in chosen_variants(config, case)
        for _ in range(config.trials)
    ]
    check_launch(requests[0], settings)
    return requests


def faults_of(config: Launch) -> list[str]:
    """What is out of bounds, all of it at once."""
    faults = []
    if not 1 <= config.trials <= MAX_TRIALS:
        faults.append(f"trials is {config.trials}, not 1 to {MAX_TRIALS}")
    if not 0 <= config.max_runtime_hours <= MAX_HOURS:
        faults.append(
            f"max_runtime_hours is {config.max_runtime_hours:g}, not 0 (the case's own limit) "
            f"to {MAX_HOURS:g}"
        )
    return faults


def chosen_version(config: Launch, store: Store) -> CaseVersion:
    """The stored version that the form names. Raises UsageError with what was probably meant."""
    stored = store.keys()
    if not stored:
        raise UsageError("the catalog is empty", help="run the job ingest_catalog")
    named = config.case if config.version == LATEST else f"{config.case}@{config.version}"
    return store.current(find_key(stored, named))


def chosen_variants(config: Launch, case: CaseVersion) -> Sequence[Variant]:
    named = any(variant.slug == config.variant for variant in case.variants)
    if config.variant == ALL_VARIANTS and not named:
        return case.variants
    return [case.variant(config.variant or None)]


def known_cases() -> list[str]:
    """The slugs that the form offers: the stored ones, before the first ingest the checkout's,
    and none where there is no catalog.

    Read when the code location loads: reloading it shows a new case.
    """
    try:
        settings = Settings.load()
        keys = Store(Home(settings.home)).keys() or tuple(
            load_catalog(settings.checkout, allow_experimental=settings.allow_experimental).versions
        )
    except (TcabError, OSError):
        return []
    return sorted({key.rpartition("@")[0] for key in keys})


def _choice(names: Sequence[str]) -> type[str]:
    """An enumeration in the Launchpad; its names are also its values."""
    return cast("type[str]", Literal[tuple(names)]) if names else str
