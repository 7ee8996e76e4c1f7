import { useCompileCache } from './lib/compile-cache.ts'
import { memberOf } from './lib/guards.ts'
import type { Config } from './config.ts'
import type { Running } from './serve.ts'
import type { Working } from './worker.ts'

/** The text that `npm start` prints once it serves: everything that the first call needs. */
export function banner({ baseUrl, demo, isEmpty }: Running, config: Config): string {
  // With the key, which its pages then fill in; a browser sends the fragment of an address nowhere.
  const key = demo === undefined ? '' : `#key=${demo.apiKey}`
  const reference = `${new URL(baseUrl).origin}/docs/${key}`
  const lines = ['', 'Kontor is running.', '', `  API        ${baseUrl}`, `  Reference  ${reference}`]
  if (demo !== undefined) {
    const url = `${baseUrl}/workspaces/${demo.workspace}/objects/person/resources`
    lines.push(
      `  Workspace  ${demo.workspace}`,
      `  API key    ${demo.apiKey}`,
      ...wayIn(demo),
      '',
      'Try:',
      `  curl -H 'Authorization: api-key ${demo.apiKey}' ${url}`,
    )
  }
  if (isEmpty) lines.push(...firstSteps(config))
  lines.push('', 'Imports, lists, keys and more by the command line:', '  npm run -s kontor -- --help')
  return `${lines.join('\n')}\n\n`
}

/** Describes how the admin of the sample workspace signs in. */
const wayIn = ({ admin: { email, hasPassword, signInUrl } }: NonNullable<Running['demo']>): string[] =>
  hasPassword
    ? [`  Sign in    ${signInUrl} as ${email}`]
    : [`  Admin      ${email}; set a password within an hour:`, `             ${signInUrl}`]

/**
 * The commands that create the first workspace, its admin, a link for their password and a key, if there is no
 * workspace yet.
 */
function firstSteps({ dataDir, databaseUrl }: Config): string[] {
  const given = [
    ...(dataDir === './data' ? [] : ['DATA_DIR']),
    ...(databaseUrl === `sqlite:${dataDir}/kontor.sqlite` ? [] : ['DATABASE_URL']),
  ]
  const settings = given.length === 0 ? '' : `, with the same ${given.join(' and ')}`
  return [
    '',
    `There is no workspace yet. To create one, run in a second terminal in this folder${settings}:`,
    '  npm run -s kontor -- workspace create --slug acme --name Acme --admin-email you@example.com',
    '  npm run -s kontor -- user password-link --email you@example.com',
    '  npm run -s kontor -- key create --workspace acme --email you@example.com --kind personal',
  ]
}

/** Runs the server until it is told to stop. */
export const run = (): Promise<void> =>
  untilStopped(async () => {
    // Loaded only now, so that they come from the compile cache: half of the time to the first answer.
    const [{ readConfig }, { serve }] = await Promise.all([import('./config.ts'), import('./serve.ts')])
    const config = readConfig()
    const running = await serve(config)
    return { ...running, text: banner(running, config) }
  })

/** Runs a worker until it is told to stop. */
export const runWorker = (): Promise<void> =>
  untilStopped(async () => {
    const [{ readConfig }, { work }] = await Promise.all([import('./config.ts'), import('./worker.ts')])
    const working = await work(readConfig())
    return { ...working, text: workerBanner(working) }
  })

const workerBanner = ({ monitorUrl }: Working): string =>
  `\nThe worker is running: it runs jobs and serves no API.\n${
    monitorUrl === undefined ? '' : `\n  Health     ${monitorUrl}/readyz\n  Metrics    ${monitorUrl}/metrics\n`
  }\n`

type Started = Pick<Running, 'app' | 'stop' | 'outdated'> & { readonly text: string }

/** Lets a process go on until it is told to stop; a second signal does not wait. */
async function untilStopped(start: () => Promise<Started>): Promise<void> {
  try {
    useCompileCache()
    // Queries that are under way when a start fails end with its database, and would hide why it has failed.
    const early: unknown[] = []
    const note = (reason: unknown) => early.push(reason)
    process.on('unhandledRejection', note)
    const { app, stop, outdated, text } = await start()
    process.off('unhandledRejection', note)
    for (const reason of early) app.onUnhandled(reason)
    // Work that no request awaited has failed. The process goes on; the failure is counted, and is a bug of ours.
    process.on('unhandledRejection', (reason) => app.onUnhandled(reason))
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        void stop(signal).then(() => process.exit(0), fail)
        process.once(signal, () => process.exit(1))
      })
    }
    // Work under way fails by itself: its database refuses it.
    void outdated.then((reason) => stop('SIGTERM').then(() => fail(reason), fail))
    // Last: a program that reads it may stop the process at once.
    process.stdout.write(text)
  } catch (error) {
    fail(error)
  }
}

/** Ends the process, whatever else is running: one that failed to start must not look like a running one. */
function fail(error: unknown): never {
  process.stderr.write(`${explain(error)}\n`)
  return process.exit(1)
}

/** Explains an error that the operator can fix in one sentence; any other error keeps its stack. */
function explain(thrown: unknown): string {
  const error = memberOf(thrown, 'name') === 'DatabaseUnavailable' ? memberOf(thrown, 'cause') : thrown
  const {
    name,
    message,
    code = '',
    syscall,
    address,
    port,
    hostname,
    stack,
  } = error as NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string }
  if (name === 'ConfigError' || name === 'MigrationRefused' || name === 'DatabaseRefused') return message
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${address} is already in use. Stop its program, or choose another port: PORT=4001 npm start`
  if (code === 'EACCES' && syscall === 'listen')
    return `Not allowed to listen on ${address}:${port}. Choose a port above 1023.`
  if (syscall === 'connect')
    return `No database responds at DATABASE_URL (${address}${port === undefined ? '' : `:${port}`}).`
  if (code === 'ENOTFOUND' && hostname !== undefined) return `The host of DATABASE_URL does not exist: ${hostname}.`
  if (/^(28|3D|57P03|53300)/.test(code)) return `Postgres rejects the login of DATABASE_URL: ${message}.`
  if (/^(SQLITE_FULL|ENOSPC|53100)/.test(code))
    return `The disk of the database is full, so it cannot be migrated: ${message}. Make room, and start again.`
  if (code.startsWith('SQLITE_CORRUPT')) return `The file of DATABASE_URL is damaged: ${message}. Restore a backup.`
  if (/^SQLITE_(CANTOPEN|NOTADB|READONLY)/.test(code)) return `The file of DATABASE_URL cannot be used: ${message}.`
  return stack ?? String(error)
}

const argumentsHelp = `npm start takes no arguments: settings are environment variables, as in "PORT=4100 npm start".
To list them: npm run -s kontor -- serve --help
`

if (import.meta.main) {
  if (process.argv.length > 2) {
    process.stderr.write(argumentsHelp)
    process.exit(2)
  }
  await run()
}
