"""The rules that keep a sandbox from its host, its neighbours and the machine's metadata.

Belongs here: which addresses are refused, and the program that refuses them inside the sandbox's
own network namespace, where whoever has no capability cannot take it back. Does not: bridges and
how the program gets there (the runtimes). Concept: spec 004, "Containerization".

Refused are named addresses, not all private ranges: a registry or a model's endpoint may live in
those. Names are still resolved: the sandbox's own name servers may be asked, and nothing else of
theirs.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

LINK_LOCAL = "169.254.0.0/16"
MULTICAST = "224.0.0.0/4"

APPLY = r"""
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
for kind in "" -legacy -nft; do
    if iptables$kind -w 5 -S OUTPUT >/dev/null 2>&1; then break; fi
done
servers=$(sed -n 's/^nameserver[[:space:]]*\([0-9.]*\)[[:space:]]*$/\1/p' /etc/resolv.conf)
{
    echo '*filter'
    echo ':INPUT DROP [0:0]'
    echo ':FORWARD DROP [0:0]'
    echo ':OUTPUT ACCEPT [0:0]'
    echo '-A INPUT -i lo -j ACCEPT'
    echo '-A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT'
    echo '-A OUTPUT -o lo -j ACCEPT'
    for server in $servers $NAME_SERVERS; do
        echo "-A OUTPUT -d $server -p udp --dport 53 -j ACCEPT"
        echo "-A OUTPUT -d $server -p tcp --dport 53 -j ACCEPT"
    done
    for address in $ALLOWED; do
        echo "-A OUTPUT -d $address -p tcp -j ACCEPT"
    done
    for address in $REFUSED; do
        echo "-A OUTPUT -d $address -p tcp -j REJECT --reject-with tcp-reset"
        echo "-A OUTPUT -d $address -j REJECT"
    done
    echo COMMIT
} | iptables$kind-restore -w 5
for state in /proc/sys/net/ipv6/conf/*/disable_ipv6; do
    case $state in */lo/*|*/all/*|*/default/*) continue ;; esac
    [ -e "$state" ] && [ "$(cat "$state")" != 1 ] || continue
    {
        echo '*filter'
        echo ':INPUT DROP [0:0]'
        echo ':FORWARD DROP [0:0]'
        echo ':OUTPUT DROP [0:0]'
        echo '-A INPUT -i lo -j ACCEPT'
        echo '-A INPUT -m conntrack --ctstate RELATED -j ACCEPT'
        echo '-A OUTPUT -o lo -j ACCEPT'
        echo '-A OUTPUT -j REJECT'
        echo COMMIT
    } | ip6tables$kind-restore -w 5
done
"""
"""Run by root with NET_ADMIN, with REFUSED, ALLOWED and NAME_SERVERS in its environment."""


@dataclass(frozen=True, slots=True)
class EngineHost:
    """What a sandbox must not reach of the host, and whom the host asks for names."""

    addresses: frozenset[str]
    name_servers: frozenset[str]


def rules_environment(
    host: EngineHost, subnets: Iterable[str], gateway: str | None
) -> dict[str, str]:
    """APPLY's environment. `gateway`: the one address of the host that stays reachable, by TCP."""
    refused = [LINK_LOCAL, MULTICAST, *subnets, *sorted(host.addresses)]
    return {
        "REFUSED": " ".join(refused),
        "ALLOWED": gateway or "",
        "NAME_SERVERS": " ".join(sorted(host.name_servers)),
    }


def engine_host(fib_trie: str, resolv_conf: str) -> EngineHost:
    """Reads `/proc/net/fib_trie` and `/etc/resolv.conf` as the engine's host sees them."""
    local = re.findall(r"\|-- (\S+)\n\s+/32 host LOCAL", fib_trie)
    servers = re.findall(r"^nameserver\s+(\S+)", resolv_conf, re.MULTILINE)
    return EngineHost(
        addresses=frozenset(a for a in local if not _is_loopback(a)),
        name_servers=frozenset(s for s in servers if not _is_loopback(s) and ":" not in s),
    )


def own_host() -> EngineHost:
    """This machine, for an engine that shares its network namespace.

    Where a stub on the loopback answers names, engines ask the servers behind it instead.
    """
    stub = Path("/run/systemd/resolve/resolv.conf")
    resolv_conf = [p.read_text() for p in (Path("/etc/resolv.conf"), stub) if p.is_file()]
    return engine_host(Path("/proc/net/fib_trie").read_text(), "\n".join(resolv_conf))


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
