import { Command, Option } from 'commander'
import { runChecks } from '../doctor/checks.ts'
import { CommandFailed } from '../errors.ts'
import { examples } from '../help.ts'
import { print, printData } from '../output.ts'

type Options = {
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly workspace?: string
  readonly json?: true
}

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

export const doctorCommand = (): Command =>
  new Command('doctor')
    .description(
      'Check the requirements of Kontor: Node, settings, disk, database, port, and the API if it is running.',
    )
    .addOption(
      new Option('--base-url <url>', 'address of the API; by default where the settings put it').env('KONTOR_BASE_URL'),
    )
    .addOption(new Option('--api-key <key>', 'try this API key too').env('KONTOR_API_KEY'))
    .addOption(new Option('--workspace <slug>', 'in this workspace').env('KONTOR_WORKSPACE'))
    .option('--json', 'print {data: {ok, checks: [{name, status, detail}]}} as JSON')
    .addHelpText('after', '\nChanges nothing. Exit code: 0 when nothing fails, 1 otherwise; a warning is no failure.\n')
    .addHelpText('after', examples(['kontor doctor', 'check this machine and its database']))
    .action(async ({ json, ...options }: Options) => {
      const checks = await runChecks(options)
      const failed = checks.filter(({ status }) => status === 'fail').length
      if (json) printData({ ok: failed === 0, checks })
      else for (const { name, status, detail } of checks) print(`${marks[status]}  ${name.padEnd(12)}${detail}`)
      if (failed > 0) throw new CommandFailed(`${failed} of ${checks.length} checks failed.`)
    })
