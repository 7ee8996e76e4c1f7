import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const server = join(import.meta.dirname, '../../packages/server/src')

const sources = globSync('**/*.ts', { cwd: server })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(server, path), 'utf8') }))

const using = (pattern: RegExp, isMeant: (path: string) => boolean = () => true): string[] =>
  sources
    .filter(({ path, text }) => isMeant(path) && pattern.test(text))
    .map(({ path }) => path)
    .toSorted()

/** Files that do something again and again by a timer, each for its own process or connections. */
const repeating = [
  // Renews the leases of the jobs of this process.
  'engine/lease-keeper.ts',
  // Closes idle connections while the server stops.
  'http/server.ts',
  // Looks for events that no notice announced, for the streams of this process.
  'modules/event-feed/stream/hub.ts',
  // Measures how busy this process is.
  'serve.ts',
  // Asks for a sign of the connection that listens, while it hears nothing.
  'db/postgres-notices.ts',
  // Looks for connections of this process that have gone silent.
  'db/postgres-silence.ts',
  // Looks for migrations of others, while this process hears no notices.
  'db/schema-watch.ts',
  // Signs the lock on a database file.
  'db/sqlite-file.ts',
].toSorted()

/** Rooms that are no machinery: their work for later is jobs, consumers and upkeep. */
const isDomain = (path: string): boolean => /^(modules|app|kernel|mcp|markdown|admin)\//.test(path)

/** Files of these rooms that set a timer. */
const timing = [
  // Sends to other processes what the rate limits have counted.
  'app/shared-limits.ts',
  // Gathers the events of a moment, for the streams of this process.
  'modules/event-feed/stream/hub.ts',
  // The limit of the time for which a model may be silent.
  'modules/language-models/ask.ts',
  // Closes a connection to the mail server that is no longer used.
  'modules/mail/mailer.ts',
]

test('nothing is repeated by a timer but for the listed files', () => {
  expect(using(/\bsetInterval\(|node:timers\/promises'.*setInterval/)).toEqual(repeating)
})

test('no domain sets a timer for its work but for the listed files: see "Adding a job" in CONTRIBUTING.md', () => {
  expect(using(/\bsetTimeout\(/, isDomain)).toEqual(timing)
})

test('recurring work and work that commits call for are declared where CONTRIBUTING.md says', () => {
  expect(using(/\bevery\(\w*[mM]s, \{/)).toEqual([
    'app/upkeep.ts',
    'modules/files/discarding.ts',
    'modules/notifications/digest/digest.ts',
  ])
  expect(using(/\bCalledWork\b.*engine\/recurring\.ts'/)).toEqual([
    'app/upkeep.ts',
    'modules/events/consumers/follow.ts',
  ])
})
