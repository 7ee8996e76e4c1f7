import { historyDays, receiverHost, type Stage, type StageClock, type StagePerson } from '@kontor/demo'
import { type App, type AppOptions, createApp } from '../app/app.ts'
import type { Clock } from '../kernel/clock.ts'
import { inProcess, type InProcessCall } from '../kernel/invoke/in-process.ts'
import { invariant } from '../lib/guards.ts'
import { followEngagement } from '../modules/campaigns/index.ts'
import { renderLetter } from '../modules/emails/index.ts'

const dayMs = 86_400_000

/** A clock that begins as far back as the sample data goes. */
export function stageClock(real: Clock): Clock & StageClock {
  const start = real.now()
  let now = start - historyDays * dayMs
  return {
    now: () => now,
    monotonicMs: () => real.monotonicMs(),
    goTo: (daysAgo) => void (now = Math.max(now, start - Math.round(daysAgo * dayMs))),
  }
}

type Options = Pick<
  AppOptions,
  'database' | 'logger' | 'baseUrl' | 'authUrl' | 'fieldIndexThreshold' | 'encryptionKeys' | 'files'
> & {
  readonly clock: Clock & StageClock
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
    // The server does the remaining jobs of the samples when it serves.
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
    async write({ personId, recipient, subject, paragraphs }) {
      const actor = await app.runtime.authenticate(`Bearer ${tokens.admin}`)
      const message = paragraphs.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] }))
      return app.emails.send({
        workspaceId,
        actor,
        run: null,
        key: 'demo',
        personId,
        inSequence: false,
        recipients: [recipient],
        letter: renderLetter({ subject, message }),
        files: [],
        tracksOpens: false,
        tracksClicks: false,
      })
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
