"""Read cluster.yaml as `ray up` does before it calls a cloud.

Checked: Ray's own defaults and schema (prepare_config, validate_config), `accelerator_type:` names
against ray.util.accelerators, each AWS node_config against botocore's model of the RunInstances
call that Ray makes of it (unknown keys, wrong types), and the parameters of Azure against Ray's own
template for it.
Not checked: whether an instance type, region, image or key exists, which Ray asks AWS; botocore
does not check the words of an enumeration such as MarketType either.
"""
import contextlib
import io
import json
import logging
import os
import pathlib
import sys
import tempfile


class Refused(Exception):
    """Ray takes the file and would fail later, or do something else than the file says."""


def first_line(error):
    """The first line of a complaint, with the place when a schema gave it."""
    message = getattr(error, 'message', None) or str(error)
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    text = ' '.join(lines[:2]) if lines and lines[0].endswith(':') else (lines or [''])[0]
    place = '.'.join(str(part) for part in getattr(error, 'absolute_path', ()))
    return f'{place}: {text}' if place else text or type(error).__name__


def run_instances_shape():
    """botocore's model of what the AWS node provider calls."""
    from botocore.loaders import Loader
    from botocore.model import ServiceModel

    model = ServiceModel(Loader().load_service_model('ec2', 'service-2'))
    return model.operation_model('RunInstances').input_shape


def check_node_config(config, shape):
    """Refuse what boto3 would refuse in create_instances."""
    from botocore.validate import ParamValidator

    call = {key: value for key, value in config.items() if key != 'SubnetIds'}
    call.update(MinCount=1, MaxCount=1)
    report = ParamValidator().validate(call, shape)
    if report.has_errors():
        raise Refused(report.generate_report().splitlines()[0])
    if not config.get('InstanceType'):
        raise Refused('a node_config has no InstanceType')


def check_azure(config):
    """Refuse parameters that Ray's template of a machine does not have."""
    import ray.autoscaler._private._azure as azure

    template = pathlib.Path(azure.__path__[0]) / 'azure-vm-template.json'
    known = json.loads(template.read_text())['parameters']
    for name in config.get('azure_arm_parameters', {}):
        if name not in known:
            raise Refused(f'azure_arm_parameters has no {name}')


def candidate(name, node, conf, head):
    """One node type as Ray's prepared configuration has it."""
    from ray.util.accelerators import accelerators

    config = node['node_config']
    resources = node['resources']
    azure = config.get('azure_arm_parameters', {})
    market = config.get('InstanceMarketOptions', {})
    spot = (market.get('MarketType') == 'spot' or azure.get('priority') == 'Spot'
            or any(one.get('preemptible') for one in config.get('scheduling', []))
            or config.get('schedulingConfig', {}).get('preemptible', False))
    attached = [one['acceleratorType'].rpartition('/')[2]
                for one in config.get('guestAccelerators', [])]
    types = [config.get(key) for key in ('InstanceType', 'machineType', 'acceleratorType')]
    types = [one for one in [*types, azure.get('vmSize'), *attached] if one]
    region = conf['provider'].get('region') or conf['provider'].get('location')
    out = {'name': name, 'head': head, 'provider': conf['provider']['type'],
           'region': region, 'instance_type': types, 'spot': spot, 'resources': resources,
           'min_workers': node.get('min_workers'), 'max_workers': node.get('max_workers'),
           'nodes': node.get('min_workers', 0) + int(head)}
    if 'availability_zone' in conf['provider']:
        out['zone'] = conf['provider']['availability_zone']
    if market:
        out['market'] = market
    if 'CapacityReservationSpecification' in config:
        out['reservation'] = config['CapacityReservationSpecification']
    if market.get('SpotOptions', {}).get('MaxPrice') is not None:
        out['max_price'] = market['SpotOptions']['MaxPrice']
    if 'ImageId' in config:
        out['image_id'] = config['ImageId']
    disks = [one['Ebs']['VolumeSize'] for one in config.get('BlockDeviceMappings', [])
             if 'VolumeSize' in one.get('Ebs', {})]
    if disks:
        out['disk_gb'] = disks
    known = {value for key, value in vars(accelerators).items() if key[0] != '_'}
    for key in resources:
        kind, _, accelerator = key.partition(':')
        if kind != 'accelerator_type':
            continue
        if accelerator not in known:
            raise Refused(f'ray.util.accelerators has no {accelerator!r}')
        out.setdefault('accelerator', accelerator)
    for key in ('GPU', 'neuron_cores', 'TPU'):
        # A slice is one node, with the chips of its first host.
        if key in resources and 'acceleratorType' not in config:
            out['count'] = resources[key]
    return out


def check(folder, shape):
    """What Ray reads in one folder."""
    import yaml
    from ray.autoscaler._private.util import prepare_config, validate_config

    given = yaml.safe_load((folder / 'cluster.yaml').read_text())
    if not isinstance(given, dict):
        raise Refused('not a mapping')
    if 'available_node_types' not in given:
        raise Refused('no available_node_types: Ray would start its default m5.large machines')
    if 'provider' not in given:
        raise Refused("'provider' is a required property")
    if given['provider'].get('type') == 'aws' and not given['provider'].get('region'):
        raise Refused('the aws provider has no region, and Ray does not merge a default into it')
    conf = prepare_config(given)
    validate_config(conf)
    head = conf['head_node_type']
    candidates = []
    for name, node in conf['available_node_types'].items():
        if conf['provider']['type'] == 'aws':
            check_node_config(node['node_config'], shape)
        elif conf['provider']['type'] == 'azure':
            check_azure(node['node_config'])
        candidates.append(candidate(name, node, conf, name == head))
    docker = conf.get('docker') or {}
    parsed = {'name': conf['cluster_name'], 'head_node_type': head,
              'max_workers': conf['max_workers'], 'docker': docker, 'image': docker.get('image'),
              'auth': conf['auth'], 'idle_timeout_minutes': conf.get('idle_timeout_minutes'),
              'file_mounts': conf['file_mounts'], 'candidates': candidates}
    for key in ('initialization_commands', 'setup_commands', 'head_setup_commands',
                'worker_setup_commands', 'head_start_ray_commands', 'worker_start_ray_commands'):
        parsed[key] = conf[key]
    return parsed


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(HOME=scratch, RAY_USAGE_STATS_ENABLED='0')
        logging.disable(logging.CRITICAL)
        shape = run_instances_shape()
        for folder in sys.argv[1:]:
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    parsed, message = check(pathlib.Path(folder), shape), ''
            except Exception as error:
                parsed, message = {'candidates': []}, first_line(error)
            print(json.dumps({'dir': folder, 'accepted': not message, 'message': message,
                              'parsed': parsed}))


if __name__ == '__main__':
    main()
