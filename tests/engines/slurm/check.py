"""Give job.sh to a real slurmctld with made-up nodes and read back what Slurm understood.

One slurmctld runs on the loopback in a temporary folder, with the nodes of NODES in state CLOUD:
powered down, so no slurmd is needed, yet schedulable. `sbatch --test-only` says whether the
request can be placed, a held submission what was understood of it. Without the Slurm programs
(Debian: slurmctld, slurm-client) the check answers accepted=null.
Not checked: names of a real site's partitions, accounts, features and gres types, and whether the
script itself runs.
"""
import getpass
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS = ('slurmctld', 'sbatch', 'scontrol', 'scancel')
# What a node of a kind has -> how many of that kind there are; types are a site's own words.
NODES = {
    'gpu:h100:8': 32, 'gpu:h200:8': 8, 'gpu:b200:8': 8, 'gpu:a100:8': 8, 'gpu:l4:4': 8,
    'gpu:l40s:4': 8, 'gpu:a10g:4': 8, 'gpu:t4:4': 8, 'gpu:mi300x:8': 8, 'gpu:trainium2:16': 4, 'gpu:tpuv5p:4': 4,
    'gpu:nvidia_h100_80gb_hbm3_3g.40gb:16,gpu:nvidia_h100_80gb_hbm3_1g.10gb:8': 1,
    'gpu:nvidia_a100-sxm4-40gb_3g.20gb:16': 1, 'gpu:3g.40gb:16': 1, 'gpu:1g.10gb:56': 1,
}


def config(folder, port):
    """slurm.conf for a controller alone."""
    lines = [
        'ClusterName=check', f'SlurmctldHost={socket.gethostname().split(".")[0]}(127.0.0.1)',
        f'SlurmctldPort={port}', f'SlurmdPort={port}', f'SlurmUser={getpass.getuser()}',
        'AuthType=auth/none', 'CredType=cred/none', f'StateSaveLocation={folder}/state',
        f'SlurmctldPidFile={folder}/slurmctld.pid', f'SlurmdSpoolDir={folder}/spool',
        'ProctrackType=proctrack/linuxproc', 'TaskPlugin=task/none', 'MpiDefault=none',
        'SelectType=select/cons_tres', 'SelectTypeParameters=CR_Core', 'GresTypes=gpu',
        'AccountingStorageType=accounting_storage/none', 'JobCompType=jobcomp/none',
        'ReturnToService=2',
        'SuspendProgram=/bin/true', 'ResumeProgram=/bin/true', 'SuspendTime=300',
    ]
    for index, (gres, count) in enumerate(NODES.items()):
        lines.append(f'NodeName=kind{index}-[1-{count}] CPUs=192 RealMemory=2000000 Gres={gres} '
                     'TmpDisk=1000000 State=CLOUD')
    lines.append('PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP')
    return '\n'.join(lines) + '\n'


class Controller:
    """One slurmctld, stopped on leaving the `with`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / 'state').mkdir(mode=0o700)
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            port = probe.getsockname()[1]
        (self.folder / 'slurm.conf').write_text(config(folder, port))
        for name in ('gres.conf', 'cgroup.conf'):
            (self.folder / name).write_text('\n')
        self.environment = {'PATH': os.environ['PATH'], 'HOME': str(folder), 'LC_ALL': 'C.UTF-8',
                            'SLURM_CONF': str(self.folder / 'slurm.conf')}

    def __enter__(self):
        with (self.folder / 'slurmctld.log').open('w') as log:
            self.daemon = subprocess.Popen(
                ['slurmctld', '-D', '-i', '-c', '-f', self.environment['SLURM_CONF']],
                env=self.environment, cwd=self.folder, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while 'is UP' not in self.ask('scontrol', 'ping')[1]:
            if self.daemon.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                log = (self.folder / 'slurmctld.log').read_text().splitlines()
                raise RuntimeError(f'slurmctld does not start: {(log or [""])[-1]}')
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        if self.daemon.poll() is None:
            self.daemon.terminate()
            try:
                self.daemon.wait(20)
            except subprocess.TimeoutExpired:
                self.daemon.kill()
                self.daemon.wait()

    def ask(self, *arguments):
        """Exit code, output and complaints of one Slurm program."""
        done = subprocess.run(arguments, env=self.environment, cwd=self.folder, timeout=60,
                              capture_output=True, encoding='utf-8', errors='replace')
        return done.returncode, done.stdout, done.stderr

    def exported(self, job):
        """The variables that the held job carries beyond those sbatch was started with."""
        stored = self.folder / 'state' / f'hash.{int(job) % 10}' / f'job.{job}' / 'environment'
        found = {}
        for entry in stored.read_bytes()[4:].split(b'\0'):
            name, equals, value = entry.decode('utf-8', 'replace').partition('=')
            if equals and name not in self.environment and not name.startswith('SLURM_'):
                found[name] = value
        return dict(sorted(found.items()))


def fields(record):
    """`scontrol show job` as a dictionary; each line's last value may hold blanks."""
    found = {}
    for line in record.splitlines():
        line = line.strip()
        if line.startswith(('JobId=', 'Comment=', 'Command=', 'WorkDir=', 'StdErr=', 'StdIn=',
                            'StdOut=')):
            job, _, name = line.partition(' JobName=')
            if name:
                found['JobName'], line = name, job
            key, _, value = line.partition('=')
            found[key] = value.strip()
        else:
            for word in line.split():
                key, _, value = word.partition('=')
                found[key] = value
    return {key: value for key, value in found.items() if value not in ('(null)', 'N/A', '')}


def gpus(job):
    """Type and count of the GPUs of one node, and the wording, from the TRES of the job."""
    for key in ('TresPerNode', 'TresPerJob', 'TresPerTask', 'TresPerSocket'):
        for entry in job.get(key, '').split(','):
            parts = entry.removeprefix('gres:').split(':')
            if parts[0] == 'gpu':
                count = int(parts[-1]) if parts[-1].isdigit() else 1
                kind = parts[1] if len(parts) > (2 if parts[-1].isdigit() else 1) else None
                yield {'accelerator': kind, 'count': count, 'per': key[7:].lower()}


def understood(controller, job_id):
    """What Slurm keeps of a held job, with its parts when it is a heterogeneous one."""
    _, text, _ = controller.ask('scontrol', 'show', 'job', job_id)
    jobs = [fields(record) for record in text.split('\n\n') if record.strip()]
    candidates = []
    for job in jobs:
        nodes = job['NumNodes'].split('-')[0]
        words = {'nodes': int(nodes), 'partition': job.get('Partition'),
                 'time_limit': job.get('TimeLimit'), 'tasks': int(job['NumTasks']),
                 'cpus_per_task': job.get('CPUs/Task'),
                 'memory': job.get('MinMemoryNode') or job.get('MinMemoryCPU')}
        for key, name in (('Features', 'constraint'), ('Reservation', 'reservation'),
                          ('Account', 'account'), ('QOS', 'qos'), ('Licenses', 'licenses'),
                          ('Requeue', 'requeue'), ('TRES', 'tres')):
            if key in job:
                words[name] = job[key]
        candidates += [{**words, **gpu} for gpu in gpus(job)] or [words]
    _, script, _ = controller.ask('scontrol', 'write', 'batch_script', job_id, '-')
    return {'name': jobs[0].get('JobName'), 'comment': jobs[0].get('Comment'),
            'nodes': sum(one['nodes'] for one in candidates), 'env': controller.exported(job_id),
            'stdout': jobs[0].get('StdOut', '').replace(f'{controller.folder}/', '').replace(
                f'-{job_id}.', '-%j.'),
            'script': script, 'candidates': candidates}


def late_directive(script):
    """Whether a directive follows a command, where sbatch no longer reads it."""
    lines = [line for line in script.splitlines() if line.strip()]
    first = next((at for at, line in enumerate(lines) if not line.startswith('#')), len(lines))
    return any(line.startswith('#SBATCH') for line in lines[first:])


def check(source, controller):
    """(message or '', parsed) for one folder."""
    job = controller.folder / 'job.sh'
    shutil.copyfile(source / 'job.sh', job)
    code, _, complaint = controller.ask('sbatch', '--test-only', 'job.sh')
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    wrong = [line for line in lines if re.match(r'sbatch: (error|fatal|warning|unrecogn)', line)]
    message = ''
    if code or wrong:
        message = (wrong or lines or ['sbatch failed'])[0]
        message = re.sub(r'^(sbatch: (error: |fatal: )?)', '', message)
    code, number, _ = controller.ask('sbatch', '--hold', '--parsable', 'job.sh')
    number = number.strip().split(';')[0]
    if code or not number.isdigit():
        return message or 'sbatch refuses to queue it', {'candidates': []}
    parsed = understood(controller, number)
    controller.ask('scancel', number)
    if late_directive(parsed['script']):
        parsed['late_directive'] = True
    placed = re.search(r'on nodes (\S+)', ' '.join(lines))
    if placed:
        parsed['placed_on'] = placed.group(1)
    if not message and not any('accelerator' in one for one in parsed['candidates']):
        message = 'the job asks for no GPU'
    return message, parsed


def answer(folder, accepted, message, parsed=None):
    """Print the line of one folder."""
    print(json.dumps({'dir': folder, 'accepted': accepted, 'message': message,
                      'parsed': parsed or {'candidates': []}}), flush=True)


def main():
    folders = sys.argv[1:]
    if any(shutil.which(program) is None for program in PROGRAMS):
        for folder in folders:
            answer(folder, None, 'not installed')
        return
    with tempfile.TemporaryDirectory() as scratch:
        try:
            with Controller(scratch) as controller:
                while folders:
                    try:
                        message, parsed = check(pathlib.Path(folders[0]), controller)
                    except Exception as error:
                        message, parsed = str(error) or type(error).__name__, None
                    answer(folders.pop(0), not message, message, parsed)
        except RuntimeError as error:
            for folder in folders:
                answer(folder, None, str(error))


if __name__ == '__main__':
    main()
