import { Command, Option } from 'commander'
import { runChecks } from '../doctor/checks.ts'
import { CommandFailed } from '../errors.ts'
import { examples } from '../help.ts'
import { print, printData } from '../output.ts'

type Options = {
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly workspace?: string
  readonly deep?: true
  readonly repair?: true
  readonly json?: true
}

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

export const doctorCommand = (): Command =>
  new Command('doctor')
    .description(
      'Check the requirements of Kontor: Node, settings, disk, database, port, and the API if it is running.',
    )
    .addOption(
      new Option('--base-url <url>', 'address of the API; by default the one in the settings').env('KONTOR_BASE_URL'),
    )
    .addOption(new Option('--api-key <key>', 'try this API key too').env('KONTOR_API_KEY'))
    .addOption(
      new Option('--workspace <slug>', 'in this workspace; with --deep, verify only this one').env('KONTOR_WORKSPACE'),
    )
    .option('--deep', 'verify the stored data too, while servers run: numbers, counts, indexes, links, jobs')
    .option('--repair', 'with --deep: rebuild derived data from the records, which do not change')
    .option('--json', 'print {data: {ok, checks: [{name, status, detail}]}} as JSON')
    .addHelpText(
      'after',
      '\nChanges nothing without --repair. Exit code: 0 when nothing fails, 1 otherwise; a warning is not a failure.\n',
    )
    .addHelpText(
      'after',
      examples(
        ['kontor doctor', 'check this machine and its database'],
        ['kontor doctor --deep', 'verify every workspace as well'],
        ['kontor doctor --deep --repair --workspace acme', 'repair one workspace'],
      ),
    )
    .action(async ({ json, deep, repair, ...options }: Options) => {
      if (repair && !deep) throw new CommandFailed('--repair needs --deep, which finds what to repair.')
      const checks = await runChecks(options, deep && { repair: repair === true })
      const width = Math.max(...checks.map(({ name }) => name.length)) + 1
      const failed = checks.filter(({ status }) => status === 'fail').length
      if (json) printData({ ok: failed === 0, checks })
      else
        for (const { name, status, detail } of checks)
          print(`${marks[status]}  ${name.padEnd(Math.max(12, width))}${detail}`)
      if (failed > 0) throw new CommandFailed(`${failed} of ${checks.length} checks failed.`)
    })
