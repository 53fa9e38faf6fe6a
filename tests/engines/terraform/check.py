"""Plan and apply main.tf.json with Terraform and its AWS provider against a stand-in for EC2.

Renders of other clouds are checked by providers.py, against their providers' schemas.
The stand-in is moto, run inside this process with its instance type validation on; what each call
to EC2 and Auto Scaling asked for is written down as botocore reads it off the wire, so `parsed`
tells what AWS would have been asked, after Terraform's own unescaping. Terraform comes from PATH
and the provider from the mirror in TF_PLUGIN_DIR (default /opt/tf-plugins); without either the
check answers accepted=null. Variables without a default get values from VALUES.
Placement groups, which moto lacks, are kept in a set here.
Not checked: images, keys, reservations and launch rights, which moto takes as they come. Whether a
region has an instance type is judged by moto's list, which differs from AWS's in places.
"""
import base64
import json
import logging
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from providers import Refused, Unknown, is_elsewhere, read

SERVICES = ['autoscaling', 'ec2', 'iam', 'servicequotas', 'ssm', 'sts']
# A word of a variable's name -> what it is given; the rest is looked up in the stand-in.
VALUES = [
    ('capacity_reservation', 'cr-0123456789abcdef0'), ('reservation', 'cr-0123456789abcdef0'),
    ('capacity_block', 'cr-0123456789abcdef0'), ('profile', 'profile'), ('user_data', '#!/bin/sh'),
    ('placement', 'group'), ('launch_template', 'lt-0123456789abcdef0'), ('key', 'key'),
    ('name', 'name'),
]
WRITES = ('RunInstances', 'CreateFleet', 'CreateLaunchTemplate', 'CreateLaunchTemplateVersion',
          'CreateAutoScalingGroup', 'CreatePlacementGroup', 'RequestSpotInstances',
          'RequestSpotFleet')


class StandIn:
    """moto on a free port of the loopback, with a record of the calls that create something."""

    def __init__(self):
        os.environ['MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION'] = 'true'
        from moto.autoscaling.responses import AutoScalingResponse
        from moto.core.responses import ActionResult
        from moto.ec2.responses import EC2Response
        from moto.server import ThreadedMotoServer

        self.calls, self.missing, self.groups = [], [], {}
        self._record(EC2Response)
        self._record(AutoScalingResponse)
        groups = self.groups

        def create_placement_group(response):
            name = response._get_param('GroupName')
            group = {'GroupName': name, 'State': 'available', 'GroupId': f'pg-{len(groups):017x}',
                     'Strategy': response._get_param('Strategy')}
            groups[response.region, name] = group
            return ActionResult({'PlacementGroup': group})

        def describe_placement_groups(response):
            asked = response._get_param('GroupNames', [])
            return ActionResult({'PlacementGroups': [
                group for (region, name), group in groups.items()
                if region == response.region and (not asked or name in asked)]})

        EC2Response.create_placement_group = create_placement_group
        EC2Response.describe_placement_groups = describe_placement_groups
        self.server = ThreadedMotoServer('127.0.0.1', 0, verbose=False)
        self.server.start()
        self.url = 'http://{}:{}'.format(*self.server.get_host_and_port())

    def _record(self, response_class):
        original = response_class.call_action

        def call_action(response):
            action = response._get_action()
            try:
                answer = original(response)
            except NotImplementedError:
                self.missing.append(action)
                raise
            if action in WRITES and answer[0] < 300:
                self.calls.append((response.region, action, plain(response._get_params())))
            return answer

        response_class.call_action = call_action

    def client(self, service, region):
        import boto3

        return boto3.client(service, region_name=region, endpoint_url=self.url,
                            aws_access_key_id='testing', aws_secret_access_key='testing')

    def reset(self):
        from moto.moto_api._internal.models import moto_api_backend

        moto_api_backend.reset()
        del self.calls[:], self.missing[:]
        self.groups.clear()


def plain(value):
    """moto's parameters as plain JSON."""
    if hasattr(value, 'items'):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def providers(main):
    """The aws provider blocks of the render."""
    blocks = []
    for group in listed(main.get('provider', {})):
        blocks += listed(group.get('aws', []))
    return blocks


def listed(value):
    """Terraform's JSON takes a block or a list of blocks."""
    return value if isinstance(value, list) else [value]


def variables(main):
    """The variables that have no default, with their types."""
    out = {}
    for group in listed(main.get('variable', {})):
        for name, block in group.items():
            block = listed(block)[0]
            if 'default' not in block:
                out[name] = block.get('type', 'string')
    return out


def regions_of(main):
    """The regions that the provider blocks name, in order."""
    defaults = {name: listed(block)[0].get('default')
                for group in listed(main.get('variable', {})) for name, block in group.items()}
    found = []
    for block in providers(main):
        region = str(block.get('region', ''))
        asked = re.fullmatch(r'\$\{var\.(\w+)\}', region)
        region = defaults.get(asked.group(1)) if asked else region
        if region and region not in found:
            found.append(region)
    return found or ['us-east-1']


def value_for(name, region, stand_in):
    """A value of one variable in one region."""
    client = stand_in.client('ec2', region)
    if 'image' in name or 'ami' in name.split('_'):
        return client.describe_images()['Images'][0]['ImageId']
    if 'subnet' in name:
        return client.describe_subnets()['Subnets'][0]['SubnetId']
    if 'security_group' in name:
        return client.describe_security_groups()['SecurityGroups'][0]['GroupId']
    if 'vpc' in name:
        return client.describe_vpcs()['Vpcs'][0]['VpcId']
    if 'zone' in name:
        return f'{region}a'
    if 'region' in name:
        return region
    return next((value for word, value in VALUES if word in name), 'value')


def variable_value(name, kind, regions, stand_in):
    """What Terraform is told for one variable, as text or JSON."""
    region = next((one for one in regions if one.replace('-', '_') in name), regions[0])
    inner = re.sub(r'[${}\s]', '', kind)
    if inner in ('number', 'bool'):
        return '1' if inner == 'number' else 'false'
    if inner.startswith('map('):
        return json.dumps({one: [value_for(name, one, stand_in)] if 'list(' in inner or
                           'set(' in inner else value_for(name, one, stand_in) for one in regions})
    value = value_for(name, region, stand_in)
    return json.dumps([value]) if inner.startswith(('list(', 'set(')) else value


def override(main, url):
    """Provider settings that turn every call to the stand-in."""
    blocks = []
    for block in providers(main) or [{}]:
        turned = {'access_key': 'testing', 'secret_key': 'testing', 'max_retries': 4,
                  'skip_credentials_validation': True, 'skip_requesting_account_id': True,
                  'skip_metadata_api_check': 'true', 'skip_region_validation': True,
                  'endpoints': [{service: url for service in SERVICES}]}
        if not block:
            turned['region'] = 'us-east-1'
        if 'alias' in block:
            turned['alias'] = block['alias']
        blocks.append(turned)
    return {'provider': {'aws': blocks}}


def terraform(arguments, folder, environment):
    """Run Terraform; return its exit code, its errors and its output."""
    with subprocess.Popen(['terraform', *arguments], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the provider is a child of its own
            raise Unknown(f'terraform {arguments[0]} takes too long') from None
    errors = []
    for line in output.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and entry.get('type') == 'diagnostic':
            diagnostic = entry['diagnostic']
            if diagnostic['severity'] == 'error':
                detail = (diagnostic.get('detail') or '').splitlines()
                text = ': '.join([diagnostic['summary'].splitlines()[0], *detail[:1]])
                errors.append(re.sub(r', RequestID: \w*', '', text))
    return process.returncode, errors, output


def run(folder, main, stand_in, plugins):
    """init, plan and apply; return the outputs."""
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(('AWS_', 'TF_'))}
    environment.update(TF_CLI_CONFIG_FILE=os.devnull, TF_IN_AUTOMATION='1', CHECKPOINT_DISABLE='1',
                       AWS_EC2_METADATA_DISABLED='true', HOME=str(folder))
    regions = regions_of(main)
    given = {}
    for name, kind in variables(main).items():
        value = variable_value(name, str(kind), regions, stand_in)
        given[name] = value
        environment[f'TF_VAR_{name}'] = value
    (folder / 'zz_override.tf.json').write_text(json.dumps(override(main, stand_in.url)))
    code, errors, _ = terraform(['init', '-json', '-input=false', f'-plugin-dir={plugins}'],
                                folder, environment)
    if code:
        raise Refused(errors[0] if errors else 'init failed')
    code, errors, _ = terraform(['plan', '-json', '-input=false', '-out=plan.out',
                                 '-detailed-exitcode'], folder, environment)
    if code == 0:
        raise Refused('the plan changes nothing')
    if code != 2:
        raise Refused(errors[0] if errors else 'plan failed')
    code, errors, _ = terraform(['apply', '-json', '-input=false', 'plan.out'], folder, environment)
    if stand_in.missing:
        raise Unknown(f'the stand-in has no {stand_in.missing[0]}')
    if code:
        raise Refused(sorted(errors)[0] if errors else 'apply failed')
    _, _, output = terraform(['output', '-json'], folder, environment)
    return given, json.loads(output or '{}')


def tags_of(call):
    """The tags of what a call creates."""
    found = {tag['Key']: tag.get('Value', '') for spec in call.get('TagSpecifications') or []
             for tag in spec.get('Tags', [])}
    return found


def launch(call):
    """The words of a launch that RunInstances and launch templates share."""
    out = {}
    if call.get('InstanceType'):
        out['instance_type'] = call['InstanceType']
    market = call.get('InstanceMarketOptions') or {}
    out['market'] = market.get('MarketType', 'on-demand')
    out['spot'] = out['market'] == 'spot'
    if (market.get('SpotOptions') or {}).get('MaxPrice'):
        out['max_price'] = market['SpotOptions']['MaxPrice']
    reservation = call.get('CapacityReservationSpecification')
    if reservation:
        out['reservation'] = reservation
    placement = call.get('Placement') or {}
    for key, name in (('GroupName', 'placement_group'), ('AvailabilityZone', 'zone'),
                      ('Tenancy', 'tenancy')):
        if placement.get(key):
            out[name] = placement[key]
    for key, name in (('ImageId', 'image_id'), ('KeyName', 'key_name'), ('SubnetId', 'subnet_id'),
                      ('SecurityGroupIds', 'security_group_ids'),
                      ('IamInstanceProfile', 'instance_profile')):
        if call.get(key):
            out[name] = call[key]
    if call.get('UserData'):
        out['user_data'] = base64.b64decode(call['UserData']).decode('utf-8', 'replace')
    disks = [one['Ebs']['VolumeSize'] for one in call.get('BlockDeviceMappings') or []
             if (one.get('Ebs') or {}).get('VolumeSize')]
    if disks:
        out['disk_gb'] = disks
    cards = call.get('NetworkInterfaces') or []
    if cards:
        out['network_interfaces'] = [one.get('InterfaceType', 'interface') for one in cards]
    if call.get('InstanceRequirements'):
        out['instance_requirements'] = call['InstanceRequirements']
    tags = tags_of(call)
    if tags:
        out['tags'] = tags
    return out


def from_template(spec, templates, region):
    """The launch words of the template that a fleet, a group or an instance refers to."""
    spec = spec or {}
    name = spec.get('LaunchTemplateName') or spec.get('LaunchTemplateId')
    found = templates.get((region, name), {})
    return dict(found), found.get('launch_template', name)


def candidates(stand_in):
    """What AWS was asked for, one entry per kind of machine, in an order of its own."""
    templates, used, found = {}, set(), []
    for region, action, call in stand_in.calls:
        if action.startswith('CreateLaunchTemplate'):
            words = {**launch(call['LaunchTemplateData']),
                     'launch_template': call.get('LaunchTemplateName')}
            templates[region, call.get('LaunchTemplateName')] = words
    for region in sorted({region for region, _ in templates}):
        for one in stand_in.client('ec2', region).describe_launch_templates()['LaunchTemplates']:
            if (region, one['LaunchTemplateName']) in templates:
                templates[region, one['LaunchTemplateId']] = templates[
                    region, one['LaunchTemplateName']]
    for region, action, call in stand_in.calls:
        if action == 'RunInstances':
            base, name = from_template(call.get('LaunchTemplate'), templates, region)
            own = launch(call)
            if 'market' in base and own['market'] == 'on-demand':
                own = {key: value for key, value in own.items() if key not in ('market', 'spot')}
            used.add((region, name))
            found.append({**base, **own, 'kind': 'instance', 'region': region,
                          'nodes': call.get('MaxCount', 1)})
        elif action == 'CreateFleet':
            target = call['TargetCapacitySpecification']
            market = target.get('DefaultTargetCapacityType', 'on-demand')
            for config in call['LaunchTemplateConfigs']:
                base, name = from_template(
                    config.get('LaunchTemplateSpecification'), templates, region)
                used.add((region, name))
                for entry in config.get('Overrides') or [{}]:
                    one = {**base, 'kind': f'fleet {call.get("Type", "maintain")}',
                           'region': region, 'market': market, 'spot': market == 'spot',
                           'nodes': target['TotalTargetCapacity'],
                           'options': {key: call[key] for key in ('SpotOptions', 'OnDemandOptions')
                                       if call.get(key)}}
                    for key, name_ in (('InstanceType', 'instance_type'), ('MaxPrice', 'max_price'),
                                       ('AvailabilityZone', 'zone'), ('Priority', 'priority'),
                                       ('InstanceRequirements', 'instance_requirements'),
                                       ('Placement', 'placement')):
                        if entry.get(key) is not None:
                            one[name_] = entry[key]
                    found.append(one)
        elif action == 'CreateAutoScalingGroup':
            policy = call.get('MixedInstancesPolicy') or {}
            template = policy.get('LaunchTemplate') or {}
            spec = template.get('LaunchTemplateSpecification') or call.get('LaunchTemplate')
            base, name = from_template(spec, templates, region)
            used.add((region, name))
            shares = policy.get('InstancesDistribution')
            for entry in template.get('Overrides') or [{}]:
                one = {**base, 'kind': 'autoscaling group', 'region': region,
                       'nodes': call.get('DesiredCapacity', call.get('MinSize'))}
                if shares:
                    one['distribution'] = shares
                    one['spot'] = shares.get('OnDemandPercentageAboveBaseCapacity') == 0 and not (
                        shares.get('OnDemandBaseCapacity'))
                    one['market'] = 'spot' if one['spot'] else 'on-demand'
                if entry.get('InstanceType'):
                    one['instance_type'] = entry['InstanceType']
                if entry.get('InstanceRequirements'):
                    one['instance_requirements'] = entry['InstanceRequirements']
                found.append(one)
    for (region, name), words in templates.items():
        if name == words.get('launch_template') and (region, name) not in used:
            found.append({**words, 'kind': 'launch template', 'region': region})
    merged = {}
    for one in found:
        one.setdefault('provider', 'aws')
        key = json.dumps({name: value for name, value in one.items() if name != 'nodes'},
                         sort_keys=True)
        if key in merged and one['kind'] == 'instance':
            merged[key]['nodes'] += one['nodes']
        else:
            merged.setdefault(key, one)
    return sorted(merged.values(), key=lambda one: json.dumps(
        [one['region'], one['kind'], one.get('priority') or 0, one.get('instance_type') or ''],
        sort_keys=True))


def existing(stand_in):
    """What the stand-in holds afterwards, by region."""
    out = {}
    for region in sorted({region for region, _, _ in stand_in.calls}):
        client = stand_in.client('ec2', region)
        kinds = {}
        for reservation in client.describe_instances()['Reservations']:
            for one in reservation['Instances']:
                kinds[one['InstanceType']] = kinds.get(one['InstanceType'], 0) + 1
        groups = stand_in.client('autoscaling', region).describe_auto_scaling_groups()
        out[region] = {
            'instances': dict(sorted(kinds.items())),
            'fleets': len(client.describe_fleets()['Fleets']),
            'launch_templates': sorted(one['LaunchTemplateName'] for one in
                                       client.describe_launch_templates()['LaunchTemplates']),
            'autoscaling_groups': sorted(one['AutoScalingGroupName']
                                         for one in groups['AutoScalingGroups']),
            'placement_groups': sorted(name for where, name in stand_in.groups if where == region),
        }
    return out


def rename(value, names):
    """Ids drawn at random as the variables that carried them; times after a name_prefix as *."""
    if isinstance(value, dict):
        return {key: rename(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [rename(one, names) for one in value]
    if isinstance(value, str):
        return re.sub(r'(?<=-)20\d{24}$', '*', names.get(value, value))
    return value


def check(source, stand_in, plugins):
    """What AWS would have been asked by the render in one folder."""
    text = (source / 'main.tf.json').read_text()
    try:
        main = json.loads(text)
    except ValueError as error:
        raise Refused(f'not JSON: {error}') from None
    if not isinstance(main, dict):
        raise Refused('not an object')
    stand_in.reset()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for file in source.iterdir():
            if file.is_file():
                shutil.copy(file, folder)
        given, outputs = run(folder, main, stand_in, plugins)
    names = {}
    for name, value in given.items():
        for found in re.findall(r'(?:subnet|sg|vpc)-[0-9a-f]+', value):
            names[found] = f'var.{name}'
    machines = rename(candidates(stand_in), names)
    if not machines:
        raise Refused('nothing that starts a machine was created')
    return {'candidates': machines, 'exists': rename(existing(stand_in), names),
            'variables': sorted(given),
            'outputs': {name: one['value'] for name, one in outputs.items()
                        if isinstance(one['value'], str)
                        and not re.search(r'\b[a-z]+-[0-9a-f]{8,}', one['value'])}}


class Aws:
    """The check of renders of AWS, with a stand-in that starts when it is first needed."""

    def __init__(self):
        self.plugins = pathlib.Path(os.environ.get('TF_PLUGIN_DIR', '/opt/tf-plugins'))
        self.stand_in = None

    def read(self, folder):
        mirrored = self.plugins / 'registry.terraform.io' / 'hashicorp' / 'aws'
        if shutil.which('terraform') is None or not mirrored.is_dir():
            raise Unknown('not installed')
        self.stand_in = self.stand_in or StandIn()
        return check(folder, self.stand_in, self.plugins)

    def stop(self):
        if self.stand_in:
            self.stand_in.server.stop()


def main():
    logging.disable(logging.CRITICAL)
    aws = Aws()
    for name in sys.argv[1:]:
        accepted, message, parsed = False, '', {'candidates': []}
        folder = pathlib.Path(name)
        try:
            parsed = read(folder) if is_elsewhere(folder) else aws.read(folder)
            accepted = True
        except Unknown as error:
            accepted, message = None, str(error)
        except Exception as error:
            message = (str(error).splitlines() or [type(error).__name__])[0]
        print(json.dumps({'dir': name, 'accepted': accepted, 'message': message,
                          'parsed': parsed}), flush=True)
    aws.stop()


if __name__ == '__main__':
    main()
