"""The agent's container from inside: what it is, and what it cannot reach."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from tcab_dagster.containers import engine_sandbox
from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.containers.engine_sandbox import EngineSandbox
from tcab_dagster.containers.network import engine_host, own_host
from tcab_dagster.containers.protocol import Bounds, Limits
from tests.containers.sandboxing import IMAGE, StartSandbox, run, spec

pytestmark = pytest.mark.engine

CONNECT = "curl -sS --noproxy '*' --max-time 4 -o /dev/null {url} 2>&1 && echo connected"


@pytest.fixture(scope="module")
def agent(each_runtime: EngineRuntime) -> Iterator[EngineSandbox]:
    """A sandbox with the network of an agent's."""
    started = each_runtime.start(spec("egress"))
    yield started
    started.stop()


@pytest.fixture
def host_port() -> Iterator[int]:
    """A port of this machine, open on every address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def connects(sandbox: EngineSandbox, url: str) -> bool:
    return run(sandbox, CONNECT.format(url=url)).result.exit_code == 0


def test_it_is_an_unprivileged_user_without_any_capability(agent: EngineSandbox) -> None:
    facts = dict(
        line.split(":\t", 1)
        for line in run(agent, "cat /proc/self/status").text.splitlines()
        if ":\t" in line
    )

    assert run(agent, "id -u; id -un; pwd").text.split() == ["1000", "node", "/work"]
    assert {facts[c].strip("0") for c in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {""}
    assert facts["NoNewPrivs"] == "1"
    assert facts["Seccomp"] == "2"


def test_nothing_in_it_gives_a_user_more_rights(agent: EngineSandbox) -> None:
    assert run(agent, "find / -xdev -type f -perm /6000 2>/dev/null || true").text == ""


def test_no_path_of_the_host_is_mounted(agent: EngineSandbox, each_runtime: EngineRuntime) -> None:
    shown = each_runtime.api.inspect_container(agent.id)
    kinds = "proc|sysfs|tmpfs|devpts|mqueue|cgroup2?|overlay"
    mounts = f"sed -E '/ - ({kinds}) /d' /proc/self/mountinfo | cut -d' ' -f5"
    mounted = run(agent, mounts).text.split()

    assert shown["Mounts"] == []
    assert not shown["HostConfig"]["Binds"]
    assert set(mounted) <= {"/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/run/.containerenv"}
    assert run(agent, "ls /var/run/docker.sock 2>&1 || true").text.endswith(
        "No such file or directory"
    )


def test_it_has_the_limits_it_was_given(start: StartSandbox) -> None:
    sandbox = start(limits=Limits(memory_bytes=300 * 2**20, pids=77, cpus=0.5))

    read = (
        "cd /sys/fs/cgroup; cat pids.max 2>/dev/null || cat pids/pids.max; "
        "cat memory.max 2>/dev/null || cat memory/memory.limit_in_bytes; "
        "cat cpu.max 2>/dev/null || cat cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us"
    )
    pids, memory, quota, period = run(sandbox, read).text.split()

    assert (pids, memory) == ("77", str(300 * 2**20))
    assert int(quota) / int(period) == 0.5


def test_its_packages_come_from_the_registry(agent: EngineSandbox) -> None:
    heard = run(agent, "npm view left-pad version", bounds=Bounds(timeout=90))

    assert heard.result.exit_code == 0, heard.err
    assert heard.text.count(".") == 2


def test_no_port_of_the_run_host_answers_at_any_of_its_addresses(
    agent: EngineSandbox, host_port: int
) -> None:
    gateway = run(agent, "awk '$2 == \"00000000\" { print $3 }' /proc/net/route").text
    octets = reversed([int(gateway[i : i + 2], 16) for i in range(0, 8, 2)])
    addresses = {*own_host().addresses, ".".join(map(str, octets))}

    assert len(addresses) >= 2
    assert {a for a in addresses if connects(agent, f"http://{a}:{host_port}/")} == set()


def test_without_the_rules_the_host_s_port_would_answer(
    engine: docker.APIClient, host_port: int
) -> None:
    """What the test above would say of a plain container: it can fail."""
    address = next(a for a in own_host().addresses)
    script = CONNECT.format(url=f"http://{address}:{host_port}/")
    plain = engine.create_container(IMAGE, ["sh", "-c", script])
    try:
        engine.start(plain["Id"])
        engine.wait(plain["Id"])
        assert b"connected" in engine.logs(plain["Id"])
    finally:
        engine.remove_container(plain["Id"], force=True)


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "169.254.170.2", "224.0.0.251"], ids=lambda a: str(a)
)
def test_metadata_and_link_local_addresses_are_refused_at_once(
    agent: EngineSandbox, address: str
) -> None:
    heard = run(agent, CONNECT.format(url=f"http://{address}/"))

    assert "connected" not in heard.text
    assert heard.result.seconds < 3


def test_it_has_no_address_of_the_next_protocol(agent: EngineSandbox) -> None:
    heard = run(agent, CONNECT.format(url="'http://[2001:db8::1]/'") + "; " +
                CONNECT.format(url="'http://[fe80::1%25eth0]/'"))  # fmt: skip

    assert "connected" not in heard.text
    assert heard.result.seconds < 5


def test_another_run_cannot_be_reached(agent: EngineSandbox, start: StartSandbox) -> None:
    other = start("egress")
    url = f"http://{run(other, 'hostname -i').text.split()[0]}:8000/"
    serve = "require('http').createServer((q, s) => s.end()).listen(8000, '0.0.0.0')"
    cancel = threading.Event()
    server = threading.Thread(
        target=lambda: other.exec(["node", "-e", serve], bounds=Bounds(cancel=cancel))
    )
    server.start()
    try:
        up = run(other, f"for i in $(seq 50); do curl -s {url} && exit; sleep 0.1; done; exit 1")
        assert up.result.exit_code == 0
        assert not connects(agent, url)
    finally:
        cancel.set()
        server.join()


def test_it_cannot_take_the_rules_back(agent: EngineSandbox) -> None:
    for user in ("node", "root"):
        heard = run(
            agent, "/usr/sbin/iptables -F OUTPUT; /usr/sbin/iptables -P INPUT ACCEPT", user=user
        )
        assert heard.result.exit_code != 0
        assert b"Permission denied" in heard.err or b"not permitted" in heard.err


def test_root_in_it_is_no_better_off(agent: EngineSandbox) -> None:
    heard = run(
        agent, "mount -t tmpfs none /mnt; mknod /tmp/d b 8 0; chown node /etc/shadow", user="root"
    )

    assert heard.result.exit_code != 0
    assert run(agent, "stat -c %U /etc/shadow; ls /tmp/d 2>&1 || true").text.startswith("root")


def test_without_a_network_there_is_the_loopback_alone(sandbox: EngineSandbox) -> None:
    assert run(sandbox, "ls /sys/class/net").text == "lo"
    assert not connects(sandbox, "http://1.1.1.1/")


def test_only_a_run_that_is_given_the_route_reaches_its_host(
    agent: EngineSandbox, start: StartSandbox, host_port: int
) -> None:
    given = start("egress", host_route=True)

    assert connects(given, f"http://host.docker.internal:{host_port}/")
    assert not connects(agent, f"http://host.docker.internal:{host_port}/")


def test_an_address_that_the_host_gets_later_is_refused_too(
    docker_runtime: EngineRuntime, host_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_sandbox, "WATCH_SECONDS", 0.5)
    api, name = docker_runtime.api, f"{docker_runtime.api.info()['Name']}-later"
    with contextlib.ExitStack() as stack:
        sandbox = docker_runtime.start(spec("egress"))
        stack.callback(sandbox.stop)
        api.create_network(name, driver="bridge")
        stack.callback(api.remove_network, name)
        gateway = api.inspect_network(name)["IPAM"]["Config"][0]["Gateway"]

        before = connects(sandbox, f"http://{gateway}:{host_port}/")
        run(sandbox, "sleep 4")
        after = connects(sandbox, f"http://{gateway}:{host_port}/")

    assert (before, after) == (True, False)


def test_an_engine_on_another_machine_is_asked_for_its_addresses(
    docker_runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch, host_port: int
) -> None:
    """As where the bridge is not among this machine's own."""
    monkeypatch.setattr("tcab_dagster.containers.engine.INTERFACES", Path("/nowhere"))
    sandbox = docker_runtime.start(spec("egress"))
    try:
        addresses = own_host().addresses
        assert not any(connects(sandbox, f"http://{a}:{host_port}/") for a in addresses)
    finally:
        sandbox.stop()


def test_addresses_and_name_servers_are_read_as_the_host_has_them() -> None:
    fib_trie = (
        "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 127.0.0.1\n        /32 host LOCAL\n"
        "     |-- 192.0.2.0\n        /24 link UNICAST\n     |-- 192.0.2.7\n        /32 host LOCAL\n"
        "     |-- 192.0.2.255\n        /32 link BROADCAST\n"
    )
    resolv_conf = "# made\nnameserver 127.0.0.53\nnameserver 192.0.2.1\nnameserver fd00::1\n"

    host = engine_host(fib_trie, resolv_conf)

    assert host.addresses == {"192.0.2.7"}
    assert host.name_servers == {"192.0.2.1"}
