"""Commands in a sandbox: their output, their bounds, and that nothing outlives them."""

from __future__ import annotations

import hashlib
import threading
import time

import pytest

from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.containers.engine_sandbox import EngineSandbox
from tcab_dagster.containers.protocol import Bounds, Limits, SandboxLost, Stream
from tests.containers.sandboxing import StartSandbox, run, spec

pytestmark = pytest.mark.engine

SLEEPERS = "ps -A -o args= | grep '^sleep 9[0-9][0-9]$' || true"


def test_output_comes_apart_by_stream_with_the_exit_code(sandbox: EngineSandbox) -> None:
    heard = run(sandbox, "echo out; echo err >&2; exit 7")

    assert (heard.out, heard.err) == (b"out\n", b"err\n")
    assert (heard.result.exit_code, heard.result.ended) == (7, "exited")


def test_environment_folder_and_user_are_those_asked_for(sandbox: EngineSandbox) -> None:
    said: list[bytes] = []

    sandbox.exec(
        ["sh", "-c", 'echo "$GREETING $(pwd) $(id -un) $HOME"'],
        cwd="/tmp",
        env={"GREETING": "it's $HOME"},
        on_output=lambda _, data: said.append(data),
    )

    assert b"".join(said) == b"it's $HOME /tmp node /home/node\n"


def test_twenty_megabytes_arrive_whole_in_order_and_to_the_last_byte(
    sandbox: EngineSandbox,
) -> None:
    make = "const b = Buffer.alloc(2e7); for (let i = 0; i < b.length; i++) b[i] = (i * 7919) >> 3;"
    digest, size = hashlib.sha256(), 0

    def hear(stream: Stream, data: bytes) -> None:
        nonlocal size
        assert stream == "stdout"
        digest.update(data)
        size += len(data)

    run(sandbox, f"""node -e "{make} require('fs').writeFileSync('/tmp/b', b)" """)
    expected = run(sandbox, "sha256sum /tmp/b").text.split()[0]
    result = sandbox.exec(["cat", "/tmp/b"], on_output=hear)

    assert result.exit_code == 0
    assert (size, digest.hexdigest()) == (20_000_000, expected)


def test_bytes_that_are_no_text_arrive_as_they_are(sandbox: EngineSandbox) -> None:
    heard = run(sandbox, r"printf '\377\376\000\r\n\001'; printf '\200' >&2")

    assert (heard.out, heard.err) == (b"\xff\xfe\x00\r\n\x01", b"\x80")


def test_the_first_bytes_of_many_short_commands_are_never_lost(sandbox: EngineSandbox) -> None:
    assert [run(sandbox, f"echo {i}").text for i in range(10)] == [str(i) for i in range(10)]


def test_a_command_that_does_not_exist_ends_like_a_shell_s(sandbox: EngineSandbox) -> None:
    result = sandbox.exec(["no-such-command"])

    assert result.ended == "exited"
    assert result.exit_code in {126, 127}


def test_a_timeout_ends_a_command_and_all_that_it_started(sandbox: EngineSandbox) -> None:
    started = time.monotonic()

    heard = run(
        sandbox,
        "sleep 901 & setsid sleep 902 & (setsid sh -c 'sleep 903 & wait' &); echo on; sleep 904",
        bounds=Bounds(timeout=1.0),
    )

    assert (heard.result.ended, heard.result.exit_code) == ("timeout", None)
    assert heard.out == b"on\n"
    assert 1.0 <= heard.result.seconds < 4.0
    assert time.monotonic() - started < 8.0
    assert run(sandbox, SLEEPERS).text == ""


def test_what_a_finished_command_left_in_the_background_is_gone_too(
    sandbox: EngineSandbox,
) -> None:
    heard = run(
        sandbox, "env -i setsid sleep 905 & env -i setsid sleep 906 >/dev/null 2>&1 & exit 3"
    )

    assert (heard.result.ended, heard.result.exit_code) == ("exited", 3)
    assert run(sandbox, SLEEPERS).text == ""


def test_orphans_leave_no_zombies(sandbox: EngineSandbox) -> None:
    run(sandbox, "for i in 1 2 3 4 5; do (setsid sleep 0.05 &); done; sleep 0.3")

    assert run(sandbox, "ps -A -o stat= | grep -c Z || true").text == "0"


def test_silence_ends_a_command_and_a_single_byte_keeps_it_going(sandbox: EngineSandbox) -> None:
    heard = run(
        sandbox,
        "for i in 1 2 3 4 5; do sleep 0.6; printf .; done; sleep 60",
        bounds=Bounds(idle=1.5, timeout=30),
    )

    assert (heard.result.ended, heard.out) == ("idle", b".....")
    assert heard.result.seconds > 4.0


def test_where_silence_and_time_are_due_at_once_it_was_silence(sandbox: EngineSandbox) -> None:
    heard = run(sandbox, "sleep 60", bounds=Bounds(idle=1.0, timeout=1.0))

    assert heard.result.ended == "idle"


def test_a_slow_reader_is_not_the_command_s_silence(sandbox: EngineSandbox) -> None:
    def slow(_stream: Stream, _data: bytes) -> None:
        time.sleep(1.2)

    result = sandbox.exec(
        ["sh", "-c", "echo one; sleep 0.3; echo two"], bounds=Bounds(idle=1.0), on_output=slow
    )

    assert (result.ended, result.exit_code) == ("exited", 0)


def test_a_cancellation_ends_a_command_at_once(sandbox: EngineSandbox) -> None:
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()

    heard = run(sandbox, "setsid sleep 907 & sleep 908", bounds=Bounds(cancel=cancel))

    assert heard.result.ended == "canceled"
    assert heard.result.seconds < 3.0
    assert run(sandbox, SLEEPERS).text == ""


def test_a_flood_is_ended_on_time_and_does_not_pile_up(sandbox: EngineSandbox) -> None:
    largest = 0

    def hear(_stream: Stream, data: bytes) -> None:
        nonlocal largest
        largest = max(largest, len(data))
        time.sleep(0.01)

    result = sandbox.exec(["yes"], bounds=Bounds(timeout=1.0), on_output=hear)

    assert result.ended == "timeout"
    assert result.seconds < 5.0
    assert largest <= 65536


def test_a_command_that_closes_its_output_is_still_waited_for(sandbox: EngineSandbox) -> None:
    heard = run(sandbox, "echo said; exec >&- 2>&-; sleep 1; exit 9")

    assert (heard.result.exit_code, heard.out) == (9, b"said\n")


def test_a_reader_that_raises_takes_its_command_with_it(sandbox: EngineSandbox) -> None:
    def refuse(_stream: Stream, _data: bytes) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sandbox.exec(["sh", "-c", "setsid sleep 909 & echo x; sleep 910"], on_output=refuse)

    assert run(sandbox, SLEEPERS).text == ""


def test_two_commands_at_once_end_apart(sandbox: EngineSandbox) -> None:
    ended: list[object] = []
    longer = threading.Thread(
        target=lambda: ended.append(run(sandbox, "sleep 2; echo still here").text)
    )
    longer.start()
    time.sleep(0.5)

    shorter = run(sandbox, "setsid sleep 911 & sleep 912", bounds=Bounds(timeout=0.5))
    left = run(sandbox, SLEEPERS).text
    longer.join()

    assert shorter.result.ended == "timeout"
    assert left == ""
    assert ended == ["still here"]


def test_the_container_s_own_memory_limit_is_told_from_any_other_death(
    start: StartSandbox,
) -> None:
    small = start(limits=Limits(memory_bytes=128 * 2**20, pids=100))

    before = run(small, "kill -9 $$")
    eater = run(small, "node -e 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))' || exit 5")
    after = run(small, "exit 5")

    assert (before.result.exit_code, before.result.oom_killed) == (137, False)
    assert (eater.result.exit_code, eater.result.oom_killed) == (5, True)
    assert (after.result.exit_code, after.result.oom_killed) == (5, False)


def test_a_fork_bomb_is_over_when_its_time_is(start: StartSandbox) -> None:
    sandbox = start(limits=Limits(memory_bytes=512 * 2**20, pids=60))

    heard = run(sandbox, "f() { f | f & }; f; sleep 60", bounds=Bounds(timeout=2.0))

    assert heard.result.ended == "timeout"


def test_a_command_that_fills_the_disk_is_ended(start: StartSandbox) -> None:
    sandbox = start(limits=Limits(disk_bytes=50 * 2**20, memory_bytes=512 * 2**20, pids=50))

    heard = run(
        sandbox, "head -c 100000000 /dev/zero >/tmp/fill; sleep 60", bounds=Bounds(timeout=40)
    )

    assert heard.result.ended == "disk"


def test_a_container_removed_under_a_command_is_lost(each_runtime: EngineRuntime) -> None:
    sandbox = each_runtime.start(spec())
    api = each_runtime.api
    threading.Timer(0.7, lambda: api.remove_container(sandbox.id, force=True)).start()

    with pytest.raises(SandboxLost):
        run(sandbox, "echo on; sleep 60")

    with pytest.raises(SandboxLost):
        run(sandbox, "true")
    sandbox.stop()


def test_a_container_whose_first_process_dies_under_a_command_is_lost(
    each_runtime: EngineRuntime, start: StartSandbox
) -> None:
    sandbox = start()
    threading.Timer(0.7, lambda: each_runtime.api.kill(sandbox.id)).start()

    with pytest.raises(SandboxLost):
        run(sandbox, "echo on; sleep 60")
