import { Command } from 'commander'
import { describeConfig } from '@kontor/server/config'
import { examples } from '../help.ts'

export const serveCommand = (): Command =>
  new Command('serve')
    .description('Serve the API, as "npm start" does: migrate the database, listen, drain on SIGTERM.')
    .addHelpText(
      'after',
      () =>
        `\nSettings, by environment:\n${describeConfig()
          .map((line) => `  ${line}`)
          .join('\n')}\n`,
    )
    .addHelpText(
      'after',
      examples(
        ['kontor serve', 'with an embedded database in ./data'],
        ['PORT=4001 DATABASE_URL=postgres://localhost/kontor kontor serve', 'on Postgres'],
      ),
    )
    .action(async () => {
      const { run } = await import('@kontor/server/main')
      await run()
    })
