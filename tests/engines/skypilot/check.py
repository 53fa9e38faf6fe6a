"""Load task.yaml with SkyPilot's own parser and ask SkyPilot's own catalog code about its names.

Checked: the task schema as the API server applies it, the classes built from it, region, zone,
instance type, labels and job recovery of each candidate, whether the cloud has the features that
the candidate needs (several nodes, spot, docker images), and, for the clouds in catalog.csv,
whether an offer of that name, count, region, market and hourly price exists. The rows of
catalog.csv stand in for the hosted catalog, which needs a network.
Not checked: accelerator names on other clouds (Kubernetes has no catalog), whether an image,
a volume or an account exists.
"""
import contextlib
import csv
import hashlib
import json
import logging
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def write_catalog(home, version):
    """Lay out catalog.csv as the hosted catalog would have been cached below `home`."""
    header, *rows = csv.reader((HERE / 'catalog.csv').read_text().splitlines())
    root = home / '.sky' / 'catalogs' / version
    tables = {}
    for cloud in sorted({row[0] for row in rows}):  # the other columns are SkyPilot's own
        table = [header[1:]] + [row[1:] for row in rows if row[0] == cloud]
        if not any(row[-1] for row in table[1:]):  # a cloud without zones has no column of them
            table = [row[:-1] for row in table]
        tables[f'{cloud}/vms.csv'] = table
    tables['aws/images.csv'] = [['Tag', 'Region', 'OS', 'OSVersion', 'ImageId', 'CreationDate']]
    clouds = {}
    for row in rows:
        if row[2]:
            clouds.setdefault(row[2], set()).add(row[0])
    tables['common/accelerators.csv'] = [['AcceleratorName', 'Clouds']] + [
        [name, str(sorted(of))] for name, of in sorted(clouds.items())]
    for path, table in tables.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open('w', newline='') as out:
            csv.writer(out).writerows(table)
        mark = root / '.meta' / f'{path}.md5'
        mark.parent.mkdir(parents=True, exist_ok=True)
        # A sum that differs marks the file as the user's own: it is never fetched again.
        mark.write_text(hashlib.md5(b'').hexdigest())
    return sorted({row[0] for row in rows})


def first_line(error):
    """The first line of a complaint that says something, with the next when it ends in a colon."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return ' '.join(lines[:2]) if lines[0].endswith(':') else lines[0]


class Refused(Exception):
    """SkyPilot took the file but does nothing useful with it."""


def check_names(resources, known):
    """Refuse what the catalog of the candidate's cloud does not offer."""
    cloud = resources.cloud
    if cloud is None or str(cloud).lower() not in known:
        return
    asked = resources.to_yaml_config().get('accelerators')
    if resources.instance_type is not None and asked is not None:
        has = cloud.get_accelerators_from_instance_type(resources.instance_type)
        if has != asked:
            raise Refused(f'{resources.instance_type} has {has}, not {asked}')
    if resources.instance_type is not None:
        regions = cloud.regions_with_offering(
            resources.instance_type, None, resources.use_spot, resources.region, resources.zone)
        if not regions:
            raise Refused(f'{resources.instance_type} is not offered in {resources.region}')
        price = cloud.instance_type_to_hourly_cost(
            resources.instance_type, resources.use_spot, resources.region, resources.zone)
        if resources.max_hourly_cost is not None and price > resources.max_hourly_cost:
            raise Refused(f'{resources.instance_type} costs {price}, over max_hourly_cost')
        return
    feasible = cloud._get_feasible_launchable_resources(resources)
    if not feasible.resources_list:
        near = feasible.fuzzy_candidate_list
        raise Refused(f'no offer on {cloud} for {resources}' + (f'; near: {near}' if near else ''))


def candidate(resources):
    """One candidate as SkyPilot's Resources object has it."""
    config = resources.to_yaml_config()
    out = {'provider': resources.infra.cloud and resources.infra.cloud.lower(),
           'infra': resources.infra.to_str(), 'spot': resources.use_spot}
    for name, count in (resources.accelerators or {}).items():
        out['accelerator'], out['count'] = name, count
    for key in ('region', 'zone', 'instance_type', 'max_hourly_cost', 'labels', 'ports', 'volumes',
                'job_recovery', 'cpus', 'memory'):
        value = getattr(resources, key)
        if value is not None:
            out[key] = value
    for key in ('network_tier', 'disk_tier', 'local_disk', 'autostop'):
        if key in config:
            out[key] = config[key]
    if resources.disk_size_specified:
        out['disk_size'] = resources.disk_size
    if resources.extract_docker_image() is not None:
        out['image'] = resources.extract_docker_image()
    if resources.get_cloud_image_id() is not None:
        out['image_id'] = {str(key): image for key, image in resources.image_id.items()}
    return out


def needs(task, resources, sky):
    """The features that launching would demand of the candidate's cloud."""
    features = sky.clouds.CloudImplementationFeatures
    wanted = resources.get_required_cloud_features()
    if task.num_nodes > 1:
        wanted.add(features.MULTI_NODE)
    autostop = resources.autostop_config
    if autostop is not None and autostop.enabled:
        wanted.add(features.AUTODOWN if autostop.down else features.AUTOSTOP)
    return wanted


def check(sky, exceptions, folder, known):
    """Return (message or None, parsed) for one folder."""
    text = (folder / 'task.yaml').read_text()
    task = sky.Task.from_yaml_str(text)
    if not any(resources.to_yaml_config() for resources in task.resources):
        raise Refused('SkyPilot reads this as a task that asks for nothing')
    task.validate_name()
    choices = task.resources
    listed = list(choices) if isinstance(choices, list) else sorted(
        choices, key=lambda one: json.dumps(one.to_yaml_config(), sort_keys=True))
    parsed = {
        'name': task.name, 'nodes': task.num_nodes, 'run': task.run, 'setup': task.setup,
        'env': task.envs, 'file_mounts': task.file_mounts, 'volumes': task.volumes,
        'storage_mounts': sorted(task.storage_mounts), 'workdir': task.workdir,
        'choice': 'single' if len(listed) == 1 else
                  'ordered' if isinstance(choices, list) else 'any_of',
    }
    parsed['candidates'] = []
    message = None
    for resources in listed:
        try:
            if str(resources.cloud) in ('Kubernetes', 'SSH', 'Slurm', 'None'):
                # The rest of the validation asks a live cluster.
                if resources.cloud is not None:
                    resources._try_validate_labels()
            else:
                resources.validate()
                resources.cloud.check_features_are_supported(resources, needs(task, resources, sky))
            check_names(resources, known)
        except (ValueError, AssertionError, Refused, exceptions.NotSupportedError) as error:
            message = message or first_line(error)
        try:
            parsed['candidates'].append(candidate(resources))
        except (ValueError, AssertionError) as error:
            message = message or first_line(error)
    return message, parsed


def main():
    os.environ.pop('SKYPILOT_GLOBAL_CONFIG', None)
    with tempfile.TemporaryDirectory() as scratch:
        home = pathlib.Path(scratch)
        os.environ.update(HOME=scratch, SKY_RUNTIME_DIR=scratch, IS_SKYPILOT_SERVER='true',
                          SKYPILOT_DISABLE_USAGE_COLLECTION='1', SKYPILOT_MINIMIZE_LOGGING='1')
        os.environ.pop('KUBECONFIG', None)
        logging.disable(logging.CRITICAL)
        import requests
        import sky
        from sky import clouds, exceptions
        import sky.jobs.recovery_strategy  # registers the strategies
        from sky.server import plugins
        from sky.skylet import constants

        plugins._plugins_loaded = True  # the server's strict schemas, with no plugin
        known = write_catalog(home, constants.CATALOG_SCHEMA_VERSION)
        # The size of a machine image is a question to the cloud account.
        clouds.AWS.get_image_size = classmethod(lambda cls, image_id, region: 0.0)
        for folder in sys.argv[1:]:
            accepted, parsed = False, {'candidates': []}
            try:
                # It tells of its progress on standard output.
                with contextlib.redirect_stdout(sys.stderr):
                    message, parsed = check(sky, exceptions, pathlib.Path(folder), known)
                accepted = message is None
            except requests.exceptions.ConnectionError:
                accepted, message = None, 'the catalog of this cloud can only be downloaded'
            except Exception as error:
                message = first_line(error)
            print(json.dumps({'dir': folder, 'accepted': accepted,
                              'message': message or '', 'parsed': parsed}, default=str))


if __name__ == '__main__':
    main()
