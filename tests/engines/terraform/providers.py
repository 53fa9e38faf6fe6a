"""Check main.tf.json of clouds other than AWS against their providers' schemas.

Those providers cannot be run here. Their schemas are read out of Python packages that were
generated from them: CDKTF bindings, which name the provider's version, and Pulumi bridges, which do
not. The packages are parsed, never imported. A bridge calls some arguments otherwise than the
provider does (a list `disk` becomes `disks`); NAMES has Terraform's names of the resources that
start machines, and in the rest of a bridge a list may have either name.
Scalars have to be written in their own type, which is stricter than Terraform: it also converts.
Not checked: what a string may say, arguments that exclude one another, attributes that references
name, data sources, `dynamic` blocks, lists of one thing that a bridge made that thing.
"""
import ast
import base64
import functools
import importlib.metadata
import json
import pathlib
import re
from collections import namedtuple

# Source of a provider -> its package. The module is the package's name with underscores.
PACKAGES = {
    'civo/civo': 'pulumi-civo',
    'digitalocean/digitalocean': 'cdktf-cdktf-provider-digitalocean',
    'exoscale/exoscale': 'pulumiverse-exoscale',
    'hashicorp/azurerm': 'cdktf-cdktf-provider-azurerm',
    'hashicorp/google': 'cdktf-cdktf-provider-google',
    'hashicorp/google-beta': 'cdktf-cdktf-provider-google-beta',
    'linode/linode': 'pulumi-linode',
    'nebius/nebius': 'pulumi-nebius',
    'oracle/oci': 'pulumi-oci',
    'ovh/ovh': 'pulumi-ovh',
    'scaleway/scaleway': 'pulumiverse-scaleway',
    'vultr/vultr': 'ediri-vultr',
}
# Providers whose blocks are attributes: an object where one is meant, a list where many are.
HAS_ATTRIBUTES = ('nebius/nebius',)
# Words of a resource's type -> the bridge's words, where they differ.
WORDS = {'scaleway_k8s': 'scaleway_kubernetes', 'kube_nodepool': 'kube_node_pool'}
# Resources of bridges whose names are all known: class -> the bridge's name -> Terraform's.
NAMES = {
    'civo_instance': {},
    'exoscale_compute_instance': {
        'ComputeInstanceArgs': {'network_interfaces': 'network_interface'}},
    'linode_instance': {
        'InstanceArgs': {'configs': 'config', 'disks': 'disk', 'interfaces': 'interface',
                         'ipv4s': 'ipv4', 'metadatas': 'metadata', 'shared_ipv4s': 'shared_ipv4'},
        'InstanceConfigArgs': {'interfaces': 'interface'},
        'InstanceConfigInterfaceIpv4Args': {'nat11': 'nat_1_1'},
        'InstanceConfigInterfaceIpv6Args': {'ranges': 'range', 'slaacs': 'slaac'},
        'InstanceInterfaceIpv4Args': {'nat11': 'nat_1_1'},
        'InstanceInterfaceIpv6Args': {'ranges': 'range', 'slaacs': 'slaac'},
        'InstanceLinodeInterfaceVpcIpv4AddressArgs': {'nat11_address': 'nat_1_1_address'}},
    'nebius_compute_v1_instance': {},
    'oci_core_instance': {'InstanceAgentConfigArgs': {'plugins_configs': 'plugins_config'}},
    'ovh_cloud_project_instance': {},
    'scaleway_instance_server': {'ServerArgs': {'private_networks': 'private_network'}},
    'vultr_bare_metal_server': {},
    'vultr_instance': {},
}
# What a provider requires and its package does not.
REQUIRED = {
    'hashicorp/azurerm': ['features'],
    'exoscale_compute_instance': ['name'], 'linode_instance': ['type'],
    'ovh_cloud_project_instance': ['name'],
}
TOP = ('terraform', 'provider', 'variable', 'locals', 'resource', 'data', 'output')
META = ('count', 'for_each', 'depends_on', 'lifecycle', 'provider', 'provisioner', 'connection')
# CDKTF's names of these, less those that a schema may have too.
CDKTF_META = ('connection', 'count', 'depends_on', 'for_each', 'lifecycle', 'provider',
              'provisioners')
SETTINGS = ('required_version', 'required_providers', 'backend', 'cloud')
VARIABLE = ('type', 'description', 'default', 'sensitive', 'nullable', 'ephemeral', 'validation')
OUTPUT = ('value', 'description', 'sensitive', 'ephemeral', 'depends_on', 'precondition')
FUNCTIONS = (
    'abs', 'base64encode', 'base64gzip', 'ceil', 'chomp', 'coalesce', 'concat', 'element', 'file',
    'filebase64', 'floor', 'format', 'formatlist', 'indent', 'join', 'jsonencode', 'keys', 'length',
    'lookup', 'lower', 'max', 'merge', 'min', 'one', 'pathexpand', 'range', 'replace', 'split',
    'substr', 'templatefile', 'tolist', 'tomap', 'tonumber', 'toset', 'tostring', 'trimspace',
    'try', 'upper', 'values', 'yamlencode')
LIFECYCLE = ('create_before_destroy', 'prevent_destroy', 'ignore_changes', 'replace_triggered_by',
             'precondition', 'postcondition')
TIMEOUTS = ('create', 'read', 'update', 'delete')

Argument = namedtuple('Argument', 'is_required kind')
Block = namedtuple('Block', 'source name arguments classes is_exact')


class Refused(Exception):
    """The render is not taken."""


class Unknown(Exception):
    """The check cannot tell."""


# Schemas.

@functools.lru_cache(maxsize=None)
def package(source):
    """The folder of the package that has a provider's schema."""
    name = PACKAGES[source]
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        raise Unknown(f'{name} is not installed') from None
    return pathlib.Path(distribution.locate_file(name.replace('-', '_')))


def is_cdktf(source):
    return PACKAGES[source].startswith('cdktf-')


@functools.lru_cache(maxsize=None)
def version(source):
    """The version of the provider that the schema is of, if its package tells."""
    folder = package(source)
    if is_cdktf(source):
        text = importlib.metadata.metadata(PACKAGES[source]).get_payload()
        found = re.search(r'provider version (\d+(?:\.\d+)+)', text or '')
        return found and found.group(1)
    plugin = json.loads((folder / 'pulumi-plugin.json').read_text())
    value = plugin.get('parameterization', {}).get('value')
    return value and json.loads(base64.b64decode(value))['remote']['version']


@functools.lru_cache(maxsize=None)
def classes(path):
    """The classes of a Python file, by name."""
    body = ast.parse(path.read_text()).body if path.is_file() else []
    return {node.name: node for node in body if isinstance(node, ast.ClassDef)}


SCALARS = {'str': 'string', 'int': 'number', 'float': 'number', 'Number': 'number', 'bool': 'bool',
           'Any': 'any'}


def kind_of(node):
    """What an annotation says: a scalar, or ('list' | 'map' | 'block', what of).

    None stands for what is no value of its own: CDKTF's dictionaries and tokens, and Pulumi's
    dictionaries.
    """
    if isinstance(node, ast.Constant):
        return None if str(node.value).endswith('Dict') else ('block', node.value)
    if isinstance(node, ast.Attribute):
        return SCALARS.get(node.attr)
    if isinstance(node, ast.Name):
        return SCALARS.get(node.id, ('block', node.id))
    if not isinstance(node, ast.Subscript):
        return 'any'
    head = node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if head in ('Optional', 'Input'):
        return kind_of(inner[0])
    if head == 'Sequence':
        return 'list', kind_of(inner[0]) or 'any'
    if head == 'Mapping':
        return 'map', kind_of(inner[1]) or 'any'
    if head == 'Union':
        kinds = [kind for kind in map(kind_of, inner) if kind]
        return kinds[0] if len(kinds) == 1 else 'any' if kinds else None
    return None


def arguments_of(node, names):
    """The arguments that the constructor of a class takes, by Terraform's names."""
    init = next((part for part in node.body
                 if isinstance(part, ast.FunctionDef) and part.name == '__init__'), None)
    if init is None:
        return {}
    links = dict(re.findall(r'^:param (\w+):.*#(\w+) [^}\s]*\}', ast.get_docstring(init) or '',
                            re.MULTILINE))
    out = {}
    for argument, default in zip(init.args.kwonlyargs, init.args.kw_defaults):
        name = links.get(argument.arg, argument.arg.rstrip('_'))
        kind = kind_of(argument.annotation) or 'any'
        out[names.get(name, name)] = Argument(default is None, kind)
    return out


def inside(block, name):
    """The nested block of a class."""
    names = NAMES.get(block.name, {}).get(name, {})
    node = block.classes.get(name)
    arguments = arguments_of(node, names) if node else None
    return block._replace(arguments=arguments)


def cdktf_block(source, folder, is_wanted, name):
    """The block of the one class in a CDKTF folder that is wanted."""
    found = classes(folder / '__init__.py')
    node = next((node for node in found.values() if is_wanted(node)), None)
    if node is None:
        return None
    arguments = {one: argument for one, argument in arguments_of(node, {}).items()
                 if one not in CDKTF_META}
    return Block(source, name, arguments, found, True)


def pulumi_files(folder, rest):
    """Where a bridge may have a resource: in a module of its own words, or beside the others."""
    words = rest.split('_')
    for at in range(1, len(words)):
        yield folder / ''.join(words[:at]) / ('_'.join(words[at:]) + '.py')
    yield folder / (rest + '.py')


@functools.lru_cache(maxsize=None)
def resource_block(source, kind):
    """The schema of a type of resource; None if the provider has no such type."""
    folder = package(source)
    _, _, rest = kind.partition('_')
    if is_cdktf(source):
        names = [folder / rest, folder / kind]
        wanted = next((one for one in names if one.is_dir()), names[0])
        return cdktf_block(source, wanted, lambda node: node.name.endswith('Config') and any(
            'TerraformMetaArguments' in ast.unparse(base) for base in node.bases), kind)
    for ours, theirs in WORDS.items():
        if ours in kind:
            _, _, rest = kind.replace(ours, theirs).partition('_')
    path = next((one for one in pulumi_files(folder, rest) if one.is_file()), None)
    found = classes(path) if path else {}
    name = next((name for name in found if name.endswith('Args')), None)
    if name is None or rest.startswith(('get_', '_')) or rest == 'provider':
        return None
    arguments = arguments_of(found[name], NAMES.get(kind, {}).get(name, {}))
    for one in REQUIRED.get(kind, []):
        arguments[one] = Argument(True, arguments[one].kind)
    arguments.setdefault('timeouts', Argument(False, 'timeouts'))
    nested = classes(path.parent / '_inputs.py')
    return Block(source, kind, arguments, {**found, **nested}, kind in NAMES)


@functools.lru_cache(maxsize=None)
def provider_block(source):
    """The schema of a provider's own block. What a bridge requires, the environment may have."""
    folder = package(source)
    if is_cdktf(source):
        block = cdktf_block(source, folder / 'provider',
                            lambda node: node.name.endswith('ProviderConfig'), 'provider')
        for one in REQUIRED.get(source, []):
            block.arguments[one] = Argument(True, block.arguments[one].kind)
        return block
    arguments = {name: Argument(False, argument.kind) for name, argument in
                 arguments_of(classes(folder / 'provider.py')['ProviderArgs'], {}).items()}
    arguments['alias'] = Argument(False, 'string')
    return Block(source, 'provider', arguments, classes(folder / '_inputs.py'), False)


# Templates.

TOKENS = re.compile(r'\s*(?:(?P<name>[A-Za-z_][\w-]*)|(?P<number>\d+(?:\.\d+)?)'
                    r'|(?P<text>"(?:[^"\\$%]|\\.)*")|(?P<sign>[.\[\](),*]))')


class Expression:
    """References and calls of functions with references, read from the text after `${`."""

    def __init__(self, text, at):
        self.text, self.at, self.found = text, at, []

    def peek(self):
        match = TOKENS.match(self.text, self.at)
        return (match.lastgroup, match.group(match.lastgroup), match.end()) if match else (
            None, '', self.at)

    def take(self, wanted):
        group, word, end = self.peek()
        if wanted not in (group, word):
            raise Refused(f'not a reference: {self.text!r}')
        self.at = end
        return word

    def value(self):
        group, _, _ = self.peek()
        if group in ('number', 'text'):
            self.take(group)
            return
        if self.peek()[1] == '[':
            self.items('[', ']')
            return
        path = [self.take('name')]
        if self.peek()[1] == '(':
            if path[0] not in FUNCTIONS:
                raise Refused(f'there is no function {path[0]}')
            self.items('(', ')')
            path = None
        while self.peek()[1] in ('.', '['):
            if self.peek()[1] == '[':
                self.index()
                continue
            self.take('.')
            group = self.peek()[0]
            word = self.take(group if group in ('name', 'number') else '*')
            if path is not None:
                path.append(word)
        if path:
            self.found.append(path)

    def index(self):
        self.take('[')
        if self.peek()[1] == '*':
            self.take('*')
        else:
            self.value()
        self.take(']')

    def items(self, first, last):
        self.take(first)
        while self.peek()[1] != last:
            self.value()
            if self.peek()[1] != last:
                self.take(',')
        self.take(last)

    def end(self):
        """Where the text goes on after `}`."""
        self.value()
        rest = re.compile(r'\s*\}').match(self.text, self.at)
        if not rest:
            raise Refused(f'not a reference: {self.text!r}')
        return rest.end()


def references(text):
    """The references in a string, and whether it is one expression as a whole."""
    found, at, spans = [], 0, []
    marks = re.compile(r'\$\$\{|%%\{|\$\{|%\{')
    while match := marks.search(text, at):
        at = match.end()
        if match.group() == '%{':
            raise Refused(f'a directive: {text!r}')
        if match.group() == '${':
            expression = Expression(text, at)
            at = expression.end()
            spans.append((match.start(), at))
            found += expression.found
    return found, spans == [(0, len(text))]


def is_whole(value):
    """Whether a value is an expression, so that it may stand for any type."""
    return isinstance(value, str) and references(value)[1]


def plain(text):
    """A string as Terraform unescapes it."""
    return text.replace('$${', '${').replace('%%{', '%{')


class Scope:
    """What may be referred to, and the variables that were."""

    def __init__(self, main):
        self.variables = named(main, 'variable')
        self.locals = {name for group in listed(main.get('locals', {})) for name in group}
        self.resources = {(kind, name) for kind, name, _ in each(main, 'resource')}
        self.data = {(kind, name) for kind, name, _ in each(main, 'data')}
        self.used = set()

    def check(self, value, own=()):
        """Refuse references to what is not declared, anywhere in a value."""
        if isinstance(value, dict):
            for key, one in value.items():
                if key != '//':
                    self.check(key, own)
                    self.check(one, own)
        elif isinstance(value, list):
            for one in value:
                self.check(one, own)
        elif isinstance(value, str):
            for path in references(value)[0]:
                self.refer(path, own)

    def refer(self, path, own):
        first, rest = path[0], path[1:]
        if first == 'var' and rest and rest[0] in self.variables:
            self.used.add(rest[0])
            return
        known = {
            'var': False, 'local': bool(rest) and rest[0] in self.locals,
            'data': tuple(rest[:2]) in self.data and len(rest) > 1,
            'count': 'count' in own and rest == ['index'],
            'each': 'for_each' in own and rest[:1] in (['key'], ['value']),
            'path': rest in (['module'], ['root'], ['cwd']), 'self': 'self' in own and bool(rest),
            'terraform': rest == ['workspace'], 'true': not rest, 'false': not rest,
            'null': not rest,
        }
        if not known.get(first, tuple(path[:2]) in self.resources):
            raise Refused(f'{".".join(path)} is not declared')


# Values.

def listed(value):
    """Terraform's JSON takes a block or a list of blocks."""
    return value if isinstance(value, list) else [value]


def blocks(value, where):
    """The objects of a block or a list of blocks."""
    for one in listed(value):
        if not isinstance(one, dict):
            raise Refused(f'{where} is not an object')
    return [{key: one for key, one in block.items() if key != '//'} for block in listed(value)]


def named(main, word):
    """The blocks with one label, by name."""
    out = {}
    for group in blocks(main.get(word, {}), word):
        for name, body in group.items():
            found = blocks(body, f'{word} {name}')
            if name in out or len(found) != 1:
                raise Refused(f'{word} {name} is there twice')
            if not re.fullmatch(r'[A-Za-z_][\w-]*', name):
                raise Refused(f'{name!r} is not a name')
            out[name] = found[0]
    return out


def each(main, word):
    """Type, name and body of the blocks with two labels, in their order."""
    out = []
    for group in blocks(main.get(word, {}), word):
        for kind, by_name in group.items():
            out += [(kind, name, body) for name, body in named({kind: by_name}, kind).items()]
    return out


def nested(kind):
    """The class of a nested block and whether there may be only one; None if it is none."""
    if isinstance(kind, tuple) and kind[0] == 'list' and isinstance(kind[1], tuple):
        return (kind[1][1], False) if kind[1][0] == 'block' else None
    return (kind[1], True) if isinstance(kind, tuple) and kind[0] == 'block' else None


def check_value(where, value, kind, block):
    """Refuse a value that is not of its argument's kind."""
    if value is None:
        return
    if nested(kind) and block.source not in HAS_ATTRIBUTES:
        name, is_one = nested(kind)
        found = blocks(value, where)
        if is_one and len(found) > 1:
            raise Refused(f'{where}: there may be only one')
        for one in found:
            check_body(where, one, inside(block, name))
    elif is_whole(value):
        return
    elif kind == 'timeouts':
        for one in blocks(value, where):
            for key, text in one.items():
                if key not in TIMEOUTS or not isinstance(text, str):
                    raise Refused(f'{where}.{key} is not a timeout')
    elif nested(kind) and nested(kind)[1]:
        if not isinstance(value, dict):
            raise Refused(f'{where} is not an object')
        check_body(where, value, inside(block, kind[1]))
    elif isinstance(kind, tuple):
        form = list if kind[0] == 'list' else dict
        if not isinstance(value, form):
            raise Refused(f'{where} is not a {kind[0]}')
        for key, one in value.items() if form is dict else enumerate(value):
            check_value(f'{where}[{key!r}]', one, kind[1], block)
    elif scalar(value) != kind and kind != 'any':
        raise Refused(f'{where} is a {scalar(value)}, not a {kind}')


def scalar(value):
    """The name of a value's type."""
    if isinstance(value, bool):
        return 'bool'
    if isinstance(value, (int, float)):
        return 'number'
    return {str: 'string', list: 'list', dict: 'map'}.get(type(value), 'null')


def argument_name(block, name):
    """The schema's name of an argument, or None."""
    plural = name[:-1] + 'ies' if name.endswith('y') else name + 's'
    for one in (name,) if block.is_exact else (name, plural, name + 'es'):
        argument = block.arguments.get(one)
        if argument and (one == name or argument.kind[0] == 'list'):
            return one
    return None


def check_body(where, body, block):
    """Refuse a body that has arguments which are not in the schema, or lacks some that are."""
    if block.arguments is None:
        return
    seen = set()
    for name, value in body.items():
        if name == '//':
            continue
        known = argument_name(block, name)
        if known is None:
            raise Refused(f'{where} has no argument {name}')
        check_value(f'{where}.{name}', value, block.arguments[known].kind, block)
        if value is not None and not (value == [] and nested(block.arguments[known].kind)):
            seen.add(known)
    for name, argument in block.arguments.items():
        if argument.is_required and name not in seen:
            raise Refused(f'{where} lacks {name}')


# Parts of the render.

def admits(constraint, wanted):
    """Whether a version constraint admits a version. With no version: whether it is one."""
    for part in constraint.split(','):
        match = re.fullmatch(r'\s*(=|!=|>=|<=|>|<|~>)?\s*v?(\d+(?:\.\d+){0,2})(-[\w.]+)?\s*', part)
        if not match:
            raise Refused(f'{constraint!r} is no version constraint')
        if wanted is None:
            continue
        sign, length = match.group(1) or '=', match.group(2).count('.') + 1
        bound = [int(one) for one in match.group(2).split('.')] + [0] * (3 - length)
        ours = [int(one) for one in wanted.split('.')]
        fits = {'=': ours == bound, '!=': ours != bound, '>=': ours >= bound, '<=': ours <= bound,
                '>': ours > bound, '<': ours < bound,
                '~>': ours >= bound and ours[:length - 1] == bound[:length - 1]}
        if not fits[sign]:
            return False
    return True


def required_providers(main):
    """Source and version constraint of each required provider, by its local name."""
    out = {}
    for block in blocks(main.get('terraform', {}), 'terraform'):
        for key in block:
            if key not in SETTINGS:
                raise Refused(f'terraform has no argument {key}')
        for group in blocks(block.get('required_providers', {}), 'required_providers'):
            out.update(group)
    return out


def check_providers(main):
    """Refuse providers that are not known, and blocks of theirs; return their sources."""
    sources = {}
    for name, wanted in required_providers(main).items():
        if not isinstance(wanted, dict) or sorted(wanted) != ['source', 'version']:
            raise Refused(f'the provider {name} needs source and version')
        source, constraint = wanted['source'], wanted['version']
        if source not in PACKAGES:
            raise Refused(f'{source!r} is no known provider')
        if not isinstance(constraint, str):
            raise Refused(f'{name}: {constraint!r} is no version constraint')
        if not admits(constraint, version(source)):
            raise Refused(f'the schema is of {source} {version(source)}, not {constraint}')
        sources[name] = source
    for name, bodies in provider_bodies(main).items():
        if name not in sources:
            raise Refused(f'the provider {name} is not required')
        for body in bodies:
            check_body(f'provider {name}', body, provider_block(sources[name]))
    return sources


def provider_bodies(main):
    """The blocks of each provider."""
    out = {}
    for group in blocks(main.get('provider', {}), 'provider'):
        for name, bodies in group.items():
            out.setdefault(name, []).extend(blocks(bodies, f'provider {name}'))
    return out


def check_variables(scope):
    """Refuse variables without type and description, and those that nothing refers to."""
    for name, body in scope.variables.items():
        for key in ('type', 'description'):
            if not isinstance(body.get(key), str) or not body[key].strip():
                raise Refused(f'the variable {name} lacks its {key}')
        for key in body:
            if key not in VARIABLE:
                raise Refused(f'the variable {name} has no argument {key}')
        kind = body['type']
        if not re.fullmatch(r'(string|number|bool|any|(list|set|map|object|tuple)\(.+\))', kind):
            raise Refused(f'the variable {name} has no type {kind!r}')
        default = body.get('default')
        if kind in ('string', 'number', 'bool') and default is not None and (
                scalar(default) != kind):
            raise Refused(f'the default of {name} is a {scalar(default)}, not a {kind}')
        if name not in scope.used:
            raise Refused(f'the variable {name} is not used')


def check_meta(where, body, scope, main):
    """Refuse meta-arguments that mean nothing."""
    if 'count' in body and not is_whole(body['count']) and scalar(body['count']) != 'number':
        raise Refused(f'{where}.count is not a number')
    if 'count' in body and 'for_each' in body:
        raise Refused(f'{where} has count and for_each')
    for one in body.get('depends_on', []):
        path = re.sub(r'\[.*?\]', '', one).split('.')
        at = scope.data if path[0] == 'data' else scope.resources
        if tuple(path[-2:]) not in at and path[0] != 'var':
            raise Refused(f'{where} depends on {one}, which is not declared')
    for one in blocks(body.get('lifecycle', {}), f'{where}.lifecycle'):
        for key in one:
            if key not in LIFECYCLE:
                raise Refused(f'{where}.lifecycle has no argument {key}')
    if 'provider' in body:
        name, _, alias = str(body['provider']).partition('.')
        aliases = [one.get('alias') for one in provider_bodies(main).get(name, [])]
        if alias and alias not in aliases:
            raise Refused(f'{where}: the provider {name} has no alias {alias}')


def provider_of(kind, body):
    """The local name of a resource's provider."""
    return str(body.get('provider', kind.partition('_')[0])).partition('.')[0]


def check_resource(kind, name, body, sources, scope, main):
    """Refuse a resource that its provider's schema does not have so."""
    where = f'{kind}.{name}'
    provider = provider_of(kind, body)
    if provider not in sources:
        raise Refused(f'{where}: the provider {provider} is not required')
    block = resource_block(sources[provider], kind)
    if block is None:
        raise Refused(f'{sources[provider]} has no resource {kind}')
    if provider not in provider_bodies(main):
        check_body(f'provider {provider}', {}, provider_block(sources[provider]))
    check_meta(where, body, scope, main)
    own = [key for key in ('count', 'for_each') if key in body]
    for key, value in body.items():
        if key in ('provisioner', 'connection'):
            scope.check(value, [*own, 'self'])
        elif key not in ('lifecycle', 'depends_on', 'provider'):
            scope.check(value, own)
    check_body(where, {key: value for key, value in body.items() if key not in META}, block)


def check_rest(main, sources, scope):
    """Refuse what data sources, locals and outputs refer to, if it is not declared."""
    for kind, name, body in each(main, 'data'):
        if provider_of(kind, body) not in sources:
            raise Refused(f'data.{kind}.{name}: its provider is not required')
        scope.check(body, [key for key in ('count', 'for_each') if key in body])
    for name, body in named(main, 'output').items():
        if 'value' not in body or any(key not in OUTPUT for key in body):
            raise Refused(f'the output {name} is not value and description')
        scope.check(body['value'])
    scope.check(main.get('locals', {}))
    scope.check(main.get('provider', {}))


# What was understood.

# Type -> key of a candidate -> where it is; the first place that has something counts.
MACHINES = {
    'azurerm_kubernetes_cluster_node_pool': {
        'instance_type': ['vm_size'], 'nodes': ['node_count', 'min_count'], 'name': ['name'],
        'disk_gb': ['os_disk_size_gb'], 'spot': ['priority']},
    'azurerm_linux_virtual_machine': {
        'instance_type': ['size'], 'region': ['location'], 'zone': ['zone'], 'name': ['name'],
        'disk_gb': ['os_disk.disk_size_gb'], 'spot': ['priority'],
        'image': ['source_image_id', 'source_image_reference']},
    'azurerm_linux_virtual_machine_scale_set': {
        'instance_type': ['sku'], 'region': ['location'], 'nodes': ['instances'], 'name': ['name'],
        'disk_gb': ['os_disk.disk_size_gb'], 'spot': ['priority'],
        'image': ['source_image_id', 'source_image_reference']},
    'civo_instance': {
        'instance_type': ['size'], 'region': ['region'], 'name': ['hostname'],
        'image': ['disk_image']},
    'digitalocean_droplet': {
        'instance_type': ['size'], 'region': ['region'], 'name': ['name'], 'image': ['image']},
    'exoscale_compute_instance': {
        'instance_type': ['type'], 'zone': ['zone'], 'name': ['name'], 'disk_gb': ['disk_size'],
        'image': ['template_id']},
    'google_compute_instance': {
        'instance_type': ['machine_type'], 'attached': ['guest_accelerator.type'],
        'count': ['guest_accelerator.count'], 'zone': ['zone'], 'name': ['name'],
        'disk_gb': ['boot_disk.initialize_params.size'],
        'image': ['boot_disk.initialize_params.image'],
        'spot': ['scheduling.provisioning_model', 'scheduling.preemptible']},
    'google_container_node_pool': {
        'instance_type': ['node_config.machine_type'],
        'attached': ['node_config.guest_accelerator.type'],
        'count': ['node_config.guest_accelerator.count'], 'zone': ['node_locations', 'location'],
        'nodes': ['node_count', 'initial_node_count'], 'name': ['name'],
        'disk_gb': ['node_config.disk_size_gb'],
        'spot': ['node_config.spot', 'node_config.preemptible']},
    'google_tpu_v2_vm': {
        'instance_type': ['accelerator_type', 'accelerator_config.type'], 'zone': ['zone'],
        'name': ['name'], 'image': ['runtime_version'],
        'spot': ['scheduling_config.spot', 'scheduling_config.preemptible']},
    'linode_instance': {
        'instance_type': ['type'], 'region': ['region'], 'name': ['label'], 'image': ['image']},
    'nebius_compute_v1_instance': {
        'instance_type': ['resources.preset'], 'platform': ['resources.platform'],
        'name': ['name'], 'disk_gb': ['boot_disk.managed_disk.spec.size_gibibytes'],
        'image': ['boot_disk.managed_disk.spec.source_image_id',
                  'boot_disk.managed_disk.spec.source_image_family.image_family'],
        'spot': ['preemptible']},
    'oci_core_instance': {
        'instance_type': ['shape'], 'zone': ['availability_domain'], 'name': ['display_name'],
        'disk_gb': ['source_details.boot_volume_size_in_gbs'],
        'image': ['source_details.source_id'], 'spot': ['preemptible_instance_config']},
    'ovh_cloud_project_instance': {
        'instance_type': ['flavor.flavor_id'], 'region': ['region'], 'name': ['name'],
        'nodes': ['bulk'], 'image': ['boot_from.image_id']},
    'scaleway_instance_server': {
        'instance_type': ['type'], 'zone': ['zone'], 'name': ['name'], 'image': ['image'],
        'disk_gb': ['root_volume.size_in_gb']},
    'vultr_bare_metal_server': {
        'instance_type': ['plan'], 'region': ['region'], 'name': ['label', 'hostname'],
        'image': ['image_id', 'os_id', 'snapshot_id']},
    'vultr_instance': {
        'instance_type': ['plan'], 'region': ['region'], 'name': ['label', 'hostname'],
        'image': ['image_id', 'os_id', 'snapshot_id']},
}


def resolve(value, scope):
    """A value with the defaults of its variables; None if it is known only when planned."""
    if not isinstance(value, str):
        return value
    found, whole = references(value)
    if not found:
        return None if whole else plain(value)
    if whole and len(found[0]) == 2 and found[0][0] == 'var' and value == f'${{var.{found[0][1]}}}':
        return scope.variables[found[0][1]].get('default')
    return None


def look(body, path):
    """What is at a path of nested blocks."""
    for name in path.split('.'):
        body = listed(body)[0] if listed(body) else None
        if not isinstance(body, dict):
            return None
        body = body.get(name)
    return body


def is_spot(value):
    """Whether a way of buying, a flag or a block asks for spot capacity."""
    return value in (True, 'SPOT', 'Spot') or isinstance(value, dict) or (
        isinstance(value, list) and bool(value))


def words_of(kind, name, body, scope, main):
    """What a resource asks for, in a candidate's words."""
    provider = provider_of(kind, body)
    out = {'provider': provider, 'kind': kind, 'spot': False, 'nodes': 1}
    for key, paths in MACHINES[kind].items():
        if key == 'spot':
            out[key] = any(is_spot(look(body, path)) for path in paths)
            continue
        found = next((one for one in map(functools.partial(look, body), paths) if one is not None),
                     None)
        if key == 'image' and isinstance(found, (dict, list)):
            found = ':'.join(str(resolve(listed(found)[0][one], scope)) for one in
                             ('publisher', 'offer', 'sku', 'version'))
        found = resolve(found, scope)
        if key == 'disk_gb' and str(found).isdigit():
            found = int(found)
        if found is not None:
            out[key] = found
    if 'attached' in out:
        out['instance_type'] = [one for one in (out.get('instance_type'), out.pop('attached'))
                                if one]
    if 'platform' in out:
        out['instance_type'] = '_'.join([out.pop('platform'), out.get('instance_type', '')])
    if 'region' not in out and provider in provider_bodies(main):
        alias = str(body.get('provider', '')).partition('.')[2] or None
        region = next((one.get('region') for one in provider_bodies(main)[provider]
                       if one.get('alias') == alias), None)
        if resolve(region, scope) is not None:
            out['region'] = resolve(region, scope)
    times = resolve(body.get('count', 1), scope)
    if isinstance(body.get('for_each'), (dict, list)):
        times = len(body['for_each'])
    if isinstance(times, int) and isinstance(out['nodes'], int) and not is_whole(
            body.get('for_each')):
        out['nodes'] *= times
    else:
        del out['nodes']
    return out


def is_elsewhere(folder):
    """Whether the render in a folder is of other clouds than AWS."""
    try:
        main = json.loads((folder / 'main.tf.json').read_text())
        wanted = required_providers(main)
    except (AttributeError, OSError, Refused, ValueError):
        return False
    return bool(wanted) and 'aws' not in wanted


def resources_of(folder, file):
    """The bodies of the resources in a file, by their types."""
    main = json.loads((folder / file).read_text())
    return {kind: body for kind, _, body in each(main, 'resource')}


def read(folder, file='main.tf.json'):
    """What the render in a folder asks for, or Refused."""
    main = json.loads((folder / file).read_text())
    for key in main:
        if key not in TOP and key != '//':
            raise Refused(f'Terraform has no block {key}')
    sources = check_providers(main)
    scope = Scope(main)
    resources = each(main, 'resource')
    for kind, name, body in resources:
        check_resource(kind, name, body, sources, scope, main)
    check_rest(main, sources, scope)
    check_variables(scope)
    machines = [words_of(kind, name, body, scope, main) for kind, name, body in resources
                if kind in MACHINES]
    if not machines:
        raise Refused('nothing that starts a machine')
    return {'candidates': machines, 'variables': sorted(scope.variables)}
