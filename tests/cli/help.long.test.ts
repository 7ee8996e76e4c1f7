import { describe, expect, inject, test } from 'vitest'
import { kontor } from './kontor.ts'

const commands = [
  'serve',
  'worker',
  'migrate',
  'workspace create',
  'workspace list',
  'user add',
  'user list',
  'user remove',
  'login',
  'token',
  'key create',
  'key list',
  'key revoke',
  'import',
  'records list',
  'records get',
  'records create',
  'records update',
  'records delete',
  'records deleted',
  'records restore',
  'records merge',
  'call',
  'types',
  'jobs list',
  'jobs retry',
  'doctor',
]

describe.runIf(inject('database') === 'sqlite')('help', () => {
  test.concurrent.each(commands)('kontor %s --help tells what it does, with examples', async (command) => {
    const { code, stdout, stderr } = await kontor([...command.split(' '), '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Usage: kontor ${command}`)
    expect(stdout).toMatch(/Examples:\n {2}# .+\n {2}.*kontor /)
  })

  test('kontor --help names every command', async () => {
    const { code, stdout } = await kontor(['--help'])
    expect(code).toBe(0)
    for (const command of commands) expect(stdout).toContain(`\n  ${command.split(' ')[0]}`)
  })

  test('serve --help lists every setting with its default', async () => {
    const { stdout } = await kontor(['serve', '--help'])
    expect(stdout).toMatch(/PORT +port to listen on.*\(4000\)/)
    expect(stdout).toContain('DATABASE_URL')
  })

  const wrong: [string[], RegExp][] = [
    [['imprt'], /unknown command 'imprt'[\s\S]*Did you mean import/],
    [['import', 'person'], /Name the object and the file/],
    [['token'], /required option '--email <address>'/],
    [
      ['user', 'add', '--workspace', 'a', '--email', 'a@example.com', '--role', 'boss'],
      /Allowed choices are admin, member, viewer/,
    ],
    [
      [
        'key',
        'create',
        '--workspace',
        'a',
        '--email',
        'a@example.com',
        '--kind',
        'personal',
        '--scopes',
        'records:reed',
      ],
      /No scope: records:reed/,
    ],
    [['migrate', '--to', 'last'], /It must be a number/],
    [['records', 'list', 'person', '--limt', '3'], /unknown option '--limt'/],
    [['jobs', 'retry'], /by their ids, or all of them/],
    [['jobs', 'retry', '--all', '01900000-0000-7000-8000-000000000001'], /by their ids, or all of them/],
  ]
  test.concurrent.each(wrong)('a wrong command line is told and ends with 2: %j', async (args, message) => {
    const { code, stdout, stderr } = await kontor(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })
})
