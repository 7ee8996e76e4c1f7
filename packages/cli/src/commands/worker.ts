import { Command } from 'commander'
import { examples } from '../help.ts'

const help = `
Workflows, webhooks and all upkeep run in any number of workers and servers on one Postgres; on SQLite, in the server.
Give workers the settings of the servers, above all ENCRYPTION_KEYS; "kontor serve --help" lists them. With
WORKER_PORT, a worker serves /readyz and /metrics. With KONTOR_JOBS=0, servers only serve requests.
On SIGTERM a worker takes no more jobs, and finishes running jobs within 20 seconds or returns them.
`

export const workerCommand = (): Command =>
  new Command('worker')
    .description('Run jobs without serving the API, beside servers on the same Postgres.')
    .addHelpText('after', help)
    .addHelpText(
      'after',
      examples(
        ['DATABASE_URL=postgres://localhost/kontor kontor worker', 'with the DATA_DIR of the server'],
        [
          'WORKER_PORT=4100 ENCRYPTION_KEYS=… DATABASE_URL=postgres://db/kontor kontor worker',
          'elsewhere, with /readyz and /metrics',
        ],
      ),
    )
    .action(async () => {
      const { runWorker } = await import('@kontor/server/main')
      await runWorker()
    })
