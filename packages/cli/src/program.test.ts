import { execFileSync } from 'node:child_process'
import { afterEach, expect, test, vi } from 'vitest'
import { run } from './program.ts'
import { wholeEdition } from './whole-edition.ts'

afterEach(() => void vi.restoreAllMocks())

/** Runs a command line in this process: how it ends, and what it says. The long tests run the same as users do. */
async function ended(...args: string[]) {
  const said = { out: '', err: '' }
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((said.out += String(text))))
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said.err += String(text))))
  const code = await run(['node', 'kontor', ...args], wholeEdition)
  return { code, ...said }
}

test('kontor --help names the commands', async () => {
  const { code, out, err } = await ended('--help')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  for (const command of ['serve', 'import', 'records', 'doctor']) expect(out).toContain(`\n  ${command}`)
})

test.each(['import', 'call', 'key create', 'records list'])(
  '%s --help tells what it does, with examples',
  async (command) => {
    const { code, out, err } = await ended(...command.split(' '), '--help')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`Usage: kontor ${command}`)
    expect(out).toMatch(/Examples:\n {2}# .+\n {2}.*kontor /)
  },
)

test('serve --help lists every setting with its default', async () => {
  const { out } = await ended('serve', '--help')
  expect(out).toMatch(/PORT +port to listen on.*\(4000\)/)
  expect(out).toContain('DATABASE_URL')
})

test('help finds commands inside of others', async () => {
  const asked = await ended('help', 'key', 'create')
  expect(asked).toEqual(await ended('key', 'create', '--help'))
})

test('every command prints JSON where it has a result: one value, within `data`', async () => {
  const withoutResult = /^kontor (serve|worker|import|call|types|webhooks listen|completion|records .*)$/
  const leaves = (await helpBelow([])).filter(({ help }) => !help.includes('\nCommands:'))
  for (const { command, help } of leaves.filter((leaf) => !withoutResult.test(leaf.command)))
    expect(help, command).toMatch(/--json +print \{data/)
})

type CommandHelp = { readonly command: string; readonly summary: string; readonly help: string }

/** The help of a command and of all below it, in the order of their lists. */
async function helpBelow(path: readonly string[]): Promise<CommandHelp[]> {
  const { out } = await ended(...path, '--help')
  const [, summary = ''] = /^Usage: .*\n\n([\s\S]*?)\n\n/.exec(out) ?? []
  const [, list = ''] = /^Commands:\n([\s\S]*?)\n\n/m.exec(`${out}\n\n`) ?? []
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
  const own = { command: ['kontor', ...path].join(' '), summary: summary.replaceAll('\n', ' '), help: out.trimEnd() }
  const inner = []
  for (const name of names) inner.push(...(await helpBelow([...path, name])))
  return [own, ...inner]
}

/** The docs are built without the command line, so its help is committed; `vitest run program -u` writes it. */
test('the help in the docs is that of every command', async () => {
  const help = await helpBelow([])
  expect(help.length).toBeGreaterThan(30)
  await expect(`${JSON.stringify(help, null, 1)}\n`).toMatchFileSnapshot('../../docs/commands.json')
})

const wrong: [string[], RegExp][] = [
  [['imprt'], /unknown command 'imprt'[\s\S]*Did you mean import/],
  [['imprt', '--help'], /unknown command 'imprt'[\s\S]*Did you mean import/],
  [['key', 'mke', '--help'], /unknown command 'mke'/],
  [['--help', 'imprt'], /unknown command 'imprt'/],
  [['key', '-h', 'mke'], /unknown command 'mke'/],
  [['help', 'imprt'], /unknown command 'imprt'/],
  [['import'], /missing required argument 'object'/],
  [['import', 'person'], /Name the object and the file/],
  [['token'], /required option '--email <address>': e-mail address/],
  [
    ['key', 'create', '--workspace', 'a'],
    /--email <address>': e-mail[\s\S]*--kind <kind>': personal: acts as the member[\s\S]*"workspace"\)/,
  ],
  [['user', 'add', '--emial', 'a@example.com'], /unknown option '--emial'[\s\S]*Did you mean --email/],
  [['help', 'key', 'mke'], /unknown command 'mke'/],
  [['user', 'add', '--workspace', 'a', '--email', 'a@example.com', '--role', 'boss'], /Allowed choices are admin/],
  [['migrate', '--to', 'last'], /It must be a number/],
  [['records', 'list', 'person', '--limt', '3'], /unknown option '--limt'/],
  [['call', 'list.create'], /no operation "list\.create"\. Did you mean "lists\.create"/],
  [['call', 'events.stream'], /no operation/],
  [['call', 'imports.undo'], /no operation "imports\.undo"\. Did you mean one of these\? .*imports\.revert/],
  [['call', 'import'], /no operation "import"\. Did you mean one of these\? .*imports\.create/],
  [['records', 'get', 'person', 'Ada'], /'Ada' is invalid[\s\S]*not an id\. To find a record by a value: .*--filter/],
  [['records', 'delete', 'person', 'Ada'], /not an id\. To find a record by a value/],
  [['jobs', 'retry'], /by their ids, or all of them/],
  [['webhooks', 'listen', '--forward', 'localhost:3000'], /looks like http/],
]
test.each(wrong)('a wrong command line is told and ends with 2: %j', async (args, message) => {
  const { code, out, err } = await ended(...args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(message)
})

test('takes the workspace of keys and users from the environment', async () => {
  vi.stubEnv('KONTOR_WORKSPACE', 'acme')
  for (const command of ['key list', 'key create', 'key revoke', 'user list', 'user add', 'user remove']) {
    const { out } = await ended(...command.split(' '), '--help')
    expect(out).toMatch(/--workspace <slug> +workspace \(env: KONTOR_WORKSPACE\)/)
  }
  const { code, err } = await ended('user', 'add')
  expect(code).toBe(2)
  expect(err).toMatch(/required option '--email <address>'/)
})

/** Returns the completions that bash offers with the cursor after these words. */
function offered(script: string, ...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ')
  const asked = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _kontor; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', `${script}\n${asked}`], { encoding: 'utf8' })
    .trim()
    .split('\n')
}

test('completes commands and options in bash, and prints scripts for zsh and fish', async () => {
  const { out: script } = await ended('completion', 'bash')
  expect(offered(script, 'kontor', 'wor')).toEqual(['worker', 'workspace'])
  expect(offered(script, 'kontor', 'key', '')).toEqual(expect.arrayContaining(['create', 'list', 'revoke']))
  expect(offered(script, 'kontor', 'key', 'create', '--ki')).toEqual(['--kind'])
  expect(offered(script, 'kontor', 'import', 'person', '--ma')).toEqual(['--map', '--match-on'])
  expect(offered(script, 'kontor', 'key', 'create', '--kind', '')).toEqual(['personal', 'workspace'])
  expect(offered(script, 'kontor', 'key', 'create', '--name', '')).toEqual([''])
  expect(offered(script, 'kontor', 'completion', 'f')).toEqual(['fish'])
  expect((await ended('completion', 'zsh')).out).toMatch(/^#compdef kontor[\s\S]*'import:Import the rows/)
  expect((await ended('completion', 'fish')).out).toContain(`__kontor_at ' key'" -a revoke -d `)
  expect((await ended('completion', 'csh')).code).toBe(2)
})
