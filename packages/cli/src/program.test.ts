import { afterEach, expect, test, vi } from 'vitest'
import { run } from './program.ts'

afterEach(() => void vi.restoreAllMocks())

/** Runs a command line in this process: how it ends, and what it says. The long tests run the same as users do. */
async function ended(...args: string[]) {
  const said = { out: '', err: '' }
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((said.out += String(text))))
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said.err += String(text))))
  const code = await run(['node', 'kontor', ...args])
  return { code, ...said }
}

test('kontor --help names the commands', async () => {
  const { code, out, err } = await ended('--help')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  for (const command of ['serve', 'import', 'records', 'doctor']) expect(out).toContain(`\n  ${command}`)
})

test.each(['import', 'key create', 'records list'])('%s --help tells what it does, with examples', async (command) => {
  const { code, out, err } = await ended(...command.split(' '), '--help')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(`Usage: kontor ${command}`)
  expect(out).toMatch(/Examples:\n {2}# .+\n {2}.*kontor /)
})

test('serve --help lists every setting with its default', async () => {
  const { out } = await ended('serve', '--help')
  expect(out).toMatch(/PORT +port to listen on.*\(4000\)/)
  expect(out).toContain('DATABASE_URL')
})

const wrong: [string[], RegExp][] = [
  [['imprt'], /unknown command 'imprt'[\s\S]*Did you mean import/],
  [['import', 'person'], /missing required argument 'file'/],
  [['token'], /required option '--email <address>'/],
  [['user', 'add', '--workspace', 'a', '--email', 'a@example.com', '--role', 'boss'], /Allowed choices are admin/],
  [['migrate', '--to', 'last'], /It must be a number/],
  [['records', 'list', 'person', '--limt', '3'], /unknown option '--limt'/],
  [['jobs', 'retry'], /by their ids, or all of them/],
  [['webhooks', 'listen', '--forward', 'localhost:3000'], /looks like http/],
]
test.each(wrong)('a wrong command line is told and ends with 2: %j', async (args, message) => {
  const { code, out, err } = await ended(...args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(message)
})
