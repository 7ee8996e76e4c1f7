import type { Clock } from '../kernel/clock.ts'
import type { RecordResource } from '@kontor/contract'
import { type App, type AppOptions, createApp } from '../app/app.ts'
import { inProcess, type InProcessCall } from '../kernel/invoke/in-process.ts'
import { invariant } from '../lib/guards.ts'
import { followEngagement } from '../modules/campaigns/index.ts'
import type { EngagementKind, SendRequest } from '../modules/emails/index.ts'
import type { Attributes } from './sample.ts'

const dayMs = 86_400_000

/** Where the receiver of the samples listens, while they are made. */
export const receiverHost = '127.0.0.1'

/** How far back the sample data goes. */
export const historyDays = 140

/** A clock that begins in the past and stands still until it is put forward. */
export type StageClock = Clock & { readonly goTo: (daysAgo: number) => void }

export function stageClock(real: Clock): StageClock {
  const start = real.now()
  let now = start - historyDays * dayMs
  return {
    now: () => now,
    monotonicMs: () => real.monotonicMs(),
    goTo: (daysAgo) => void (now = Math.max(now, start - Math.round(daysAgo * dayMs))),
  }
}

/** The users of the demo. */
export type StagePerson = 'admin' | 'member'

/**
 * The environment of the demo: the API itself, with a clock of its own and with the ids from the examples in the
 * OpenAPI document.
 */
export type Stage = {
  readonly clock: StageClock
  /** Calls an operation in the demo's workspace. */
  readonly as: (person: StagePerson) => InProcessCall
  /** Gives the next created things ids from the examples. */
  readonly nextIds: (...ids: readonly string[]) => void
  readonly createMany: (
    person: StagePerson,
    object: string,
    rows: readonly Attributes[],
  ) => Promise<readonly RecordResource[]>
  /** Uploads a file. */
  readonly putFile: (id: string, bytes: Uint8Array) => Promise<void>
  /** Sends a letter, which is kept. */
  readonly write: (letter: Omit<SendRequest, 'workspaceId' | 'actor' | 'run'>) => Promise<unknown>
  /** Lets a person do something with what a campaign has written to them. */
  readonly engage: (reader: Reader, kind: EngagementKind) => Promise<void>
  /** Does what webhooks have to do, and nothing else. */
  readonly webhookRunner: Pick<App['runner'], 'start' | 'stop'>
  readonly updateMany: (person: StagePerson, object: string, changes: readonly RecordEdit[]) => Promise<void>
}

/** A person of a campaign, and the run that writes to them. */
type Reader = { readonly campaignId: string; readonly personId: string; readonly runId: string | null }

/** A change of one record. */
export type RecordEdit = { readonly id: string; readonly attributes: Attributes }

type Options = Pick<
  AppOptions,
  'database' | 'logger' | 'baseUrl' | 'authUrl' | 'fieldIndexThreshold' | 'encryptionKeys' | 'files'
> & {
  readonly clock: StageClock
  readonly workspace: string
  readonly workspaceId: string
  readonly tokens: Readonly<Record<StagePerson, string>>
}

export function createStage({ clock, workspace, workspaceId, tokens, ...options }: Options): Stage {
  const wanted: string[] = []
  const app: App = createApp({
    ...options,
    clock,
    nextId: () => wanted.shift(),
    rateLimitPerMinute: 0,
    // What else the samples leave to be done, the server does when it serves.
    onlyJobs: ['outbox.sequence', 'events.webhooks', 'webhooks.send'],
    webhookAllowedHosts: [receiverHost],
  })
  const as = (person: StagePerson): InProcessCall => {
    const call = inProcess(app, { authorization: `Bearer ${tokens[person]}` }, 'demo')
    return (name, input, calling) => call(name, { workspace, ...input }, calling)
  }
  return {
    clock,
    putFile: (id, bytes) => app.storage.put({ workspaceId, id }, bytes),
    as,
    webhookRunner: app.runner,
    nextIds: (...ids) => void wanted.push(...ids),
    async createMany(person, object, rows) {
      const body = { data: rows.map((attributes) => ({ type: object, attributes })) }
      const answer = await as(person)('records.createMany', { object, body })
      invariant('data' in answer, 'records are created all or none')
      return answer.data
    },
    async write(letter) {
      const actor = await app.runtime.authenticate(`Bearer ${tokens.admin}`)
      return app.emails.send({ workspaceId, actor, run: null, ...letter })
    },
    engage: ({ campaignId, personId, runId }, kind) =>
      options.database.write((tx) =>
        followEngagement(tx, workspaceId, {
          kind,
          emailId: campaignId,
          runId,
          workflowId: campaignId,
          personId,
          at: clock.now(),
        }),
      ),
    async updateMany(person, object, changes) {
      const body = { data: changes.map((change) => ({ type: object, ...change })) }
      if (changes.length > 0) await as(person)('records.updateMany', { object, body })
    },
  }
}
