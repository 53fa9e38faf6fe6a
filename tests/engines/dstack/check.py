"""Parse task.dstack.yml with dstack's own models, as `dstack apply` does before it asks a server.

Checked: every field of the configuration (task, service, dev environment or fleet), the name rule,
`${{ }}` references in commands and variables, the accelerator names and memory against gpuhunt's
table of known parts, and name, count, memory and instance type against offers of EC2. dstack itself
parses any name: one that the table lacks, or a size that no offer has, would only never find an
offer, so it is refused here. The rows of offers.csv stand in for gpuhunt's hosted catalog, which
needs a network: the memory is what the EC2 API reports, in GiB, but for the L4, which gpuhunt corrects.
Not checked: regions, zones, reservations, prices and images, which need a server.
"""
import argparse
import csv
import json
import logging
import os
import pathlib
import sys
import tempfile


HERE = pathlib.Path(__file__).resolve().parent


class Refused(Exception):
    """dstack parses the file, but it could never find an offer or start."""


def span(value):
    """A dstack range as [min, max]."""
    return None if value is None else [value.min, value.max]


def plain(value):
    """The word behind an enum."""
    return getattr(value, 'value', value)


def check_gpu(gpu, gpuhunt, vendors_of):
    """Refuse accelerators that gpuhunt does not know."""
    low, high = span(gpu.memory) or (None, None)
    fits = False
    for name in gpu.name or []:
        vendors = vendors_of(name)
        if not vendors:
            raise Refused(f'gpuhunt knows no accelerator {name!r}')
        if gpu.vendor is not None and gpu.vendor not in vendors:
            raise Refused(f'{name!r} is not made by {gpu.vendor.value}')
        parts = gpuhunt.find_accelerators(names=[name.split('-')[0], name])
        fits = fits or any(not part.memory or (low or 0) <= part.memory <= (high or part.memory)
                           for part in parts)
    if gpu.name and gpu.memory is not None and not fits:
        raise Refused(f'no known {"/".join(gpu.name)} has {gpu.memory} of memory')


def check_offers(conf, offers):
    """Refuse what no offer has, where all backends are ones whose offers are known."""
    gpu = conf.resources.gpu
    backends = [one.value for one in conf.backends or []]
    if not gpu.name or not backends or set(backends) - {row['backend'] for row in offers}:
        return
    names = {name.lower() for name in gpu.name}

    def within(bounds, figure):
        low, high = span(bounds) or (None, None)
        return (low is None or low <= figure) and (high is None or figure <= high)

    found = any(
        row['backend'] in backends and row['gpu'].lower() in names
        and within(gpu.count, int(row['count'])) and within(gpu.memory, float(row['memory_gib']))
        and (not conf.instance_types or row['instance_type'] in conf.instance_types)
        for row in offers)
    if not found:
        raise Refused(f'no offer of {"/".join(backends)} is {gpu.count} x {"/".join(gpu.name)} '
                      f'with {gpu.memory} of memory')


def marketed(gpu, gpuhunt):
    """The memory as the plan says it: a range stands for the one known size in it."""
    low, high = span(gpu.memory) or (None, None)
    if low == high:
        return span(gpu.memory)
    parts = gpuhunt.find_accelerators(names=gpu.name or [])
    sizes = {part.memory for part in parts
             if part.memory and (low or 0) <= part.memory <= (high or part.memory)}
    return [sizes.pop()] * 2 if len(sizes) == 1 else span(gpu.memory)


def check(folder, tools):
    """What dstack reads in one folder."""
    text = (folder / 'task.dstack.yml').read_text()
    data = tools.yaml.safe_load(text)
    if not isinstance(data, dict):
        raise Refused('not a mapping')
    conf = tools.parse(data)
    if getattr(conf, 'name', None) is not None:
        tools.validate_name(conf.name)
    parsed = {'type': conf.type, 'name': conf.name}
    for key in ('image', 'placement', 'tags', 'reservation', 'regions', 'availability_zones',
                'instance_types', 'max_price', 'idle_duration', 'max_duration', 'working_dir',
                'privileged', 'priority'):
        value = getattr(conf, key, None)
        if value is not None:
            parsed[key] = plain(value)
    for key in ('retry', 'volumes', 'registry_auth'):
        value = getattr(conf, key, None)
        if value:
            parsed[key] = json.loads(tools.dump(value))
    nodes = getattr(conf, 'nodes', None)
    parsed['nodes'] = 1 if nodes is None else nodes if isinstance(nodes, int) else [
        nodes.min, nodes.max]
    if hasattr(conf, 'env'):
        secrets = tools.Interpolator({}, skip=['secrets'])
        parsed['env'] = {
            key: secrets.interpolate_or_error(value) if isinstance(value, str) else None
            for key, value in conf.env.items()}
    if hasattr(conf, 'commands'):
        commands = list(conf.commands)
        tools.Commands._interpolate_commands(None, commands, argparse.Namespace(run_args=[]))
        parsed['commands'] = commands
    candidate = {
        'spot': plain(conf.spot_policy), 'nodes': parsed['nodes'],
        'backends': None if conf.backends is None else [one.value for one in conf.backends],
    }
    for key in ('regions', 'availability_zones', 'instance_types', 'max_price', 'image',
                'reservation'):
        if key in parsed:
            candidate[key] = parsed[key]
    if conf.resources is not None:
        gpu = conf.resources.gpu
        parsed['cpu'] = span(conf.resources.cpu.count)
        parsed['memory_gb'] = span(conf.resources.memory)
        parsed['disk_gb'] = conf.resources.disk and span(conf.resources.disk.size)
        parsed['shm_size_gb'] = conf.resources.shm_size
        if gpu is not None:
            check_gpu(gpu, tools.gpuhunt, tools.vendors_of)
            check_offers(conf, tools.offers)
            candidate.update(accelerator=gpu.name, vendor=plain(gpu.vendor), count=span(gpu.count),
                             memory_gb=marketed(gpu, tools.gpuhunt))
    parsed['candidates'] = [candidate]
    return parsed


def load():
    """The parts of dstack that the check uses."""
    import gpuhunt
    import yaml
    from dstack._internal.cli.services.configurators.run import RunWithCommandsConfiguratorMixin
    from dstack._internal.core.models.configurations import parse_apply_configuration
    from dstack._internal.core.services import validate_dstack_resource_name
    from dstack._internal.utils.gpu import detect_gpu_vendors_by_gpu_name
    from dstack._internal.utils.interpolator import VariablesInterpolator

    def dump(value):
        return json.dumps(value, default=lambda one: one.model_dump(mode='json'))

    with (HERE / 'offers.csv').open() as lines:
        offers = list(csv.DictReader(lines))

    return argparse.Namespace(
        gpuhunt=gpuhunt, yaml=yaml, parse=parse_apply_configuration, dump=dump, offers=offers,
        validate_name=validate_dstack_resource_name, Interpolator=VariablesInterpolator,
        Commands=RunWithCommandsConfiguratorMixin, vendors_of=detect_gpu_vendors_by_gpu_name)


def complaint(error):
    """pydantic's first complaint with the place it is about, or the first line of another error."""
    cause = error.args[0] if error.args else error
    if hasattr(cause, 'errors'):
        first = cause.errors()[0]
        place = '.'.join(str(part) for part in first['loc'])
        return f'{place}: {first["msg"]}'
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(HOME=scratch, DSTACK_DIR_PATH=scratch)
        logging.disable(logging.CRITICAL)
        tools = load()
        for folder in sys.argv[1:]:
            try:
                parsed, message = check(pathlib.Path(folder), tools), ''
            except Exception as error:
                parsed, message = {'candidates': []}, complaint(error)
            print(json.dumps({'dir': folder, 'accepted': not message, 'message': message,
                              'parsed': parsed}))


if __name__ == '__main__':
    main()
