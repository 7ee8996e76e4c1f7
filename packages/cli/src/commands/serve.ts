import { Command } from 'commander'
import { examples } from '../help.ts'
import { settingsHelp } from '../settings-help.ts'

export const serveCommand = (): Command =>
  new Command('serve')
    .description('Serve the API, as "npm start" does: migrate the database, listen, drain on SIGTERM.')
    .addHelpText('after', settingsHelp)
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
