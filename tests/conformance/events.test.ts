import { eventDefinitions, eventTypes } from '@kontor/contract'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { exampleInput, hasParameter, mutations, select } from './endpoints.ts'
import { expectSuccess } from './expect.ts'
import { rest } from './surfaces.ts'

const app = await startApp()

const runsTellThemselves = 'A run is kept with its steps; events of runs would begin runs.'

/** The changes that publish nothing, each with its reason. */
const silent: Readonly<Record<string, string>> = {
  'asyncTasks.cancel': 'What it ends was not in force yet, so nothing has changed.',
  'imports.upload': 'Nothing is imported before it is there.',
  'imports.create': 'Rows are written by a job, whose changes tell themselves.',
  'imports.cancel': 'What was written stays.',
  'imports.resume': 'Rows are written by a job, whose changes tell themselves.',
  'imports.revert': 'What is taken back tells itself, by a job.',
  'imports.writeRejects': 'A file is written, and no record.',
  'exports.create': 'It changes no record.',
  'exports.cancel': 'It changes no record.',
  'attachments.upload': 'Nothing is attached before it is there.',
  'webhooks.test': 'What is sent changes nothing.',
  'webhooks.resend': 'What is sent changes nothing.',
  'webhooks.recover': 'What is sent changes nothing.',
  'workflows.rotateAddress': 'The address is a secret between the workflow and what sends to it.',
  'workflows.run': runsTellThemselves,
  'campaigns.testSend': 'What is sent changes nothing.',
  'campaigns.enrol': runsTellThemselves,
  'campaigns.unenrol': runsTellThemselves,
  'agents.rotateAddress': 'The address is a secret between the agent and what sends to it.',
  'agents.run': runsTellThemselves,
  'agents.undoRun': 'What is taken back tells itself, by a job.',
  'emails.rotateInbound': 'The address is a secret between the workspace and its mail server.',
  'notifications.read': 'It concerns the caller alone.',
  'notifications.updatePreferences': 'It concerns the caller alone.',
}

test('every change says which events it publishes; what comes by itself is named', () => {
  expect(mutations.filter(([, { emits }]) => emits === undefined).map(([name]) => name)).toEqual(Object.keys(silent))
  expect(select(({ emits }) => emits !== undefined)).toEqual(mutations.filter(([name]) => !Object.hasOwn(silent, name)))
  const emitted = new Set(mutations.flatMap(([, { emits }]) => emits ?? []))
  const others = eventTypes.filter((type) => !emitted.has(type))
  expect(others).toEqual([
    'member.joined',
    'workflow.stopped',
    'workflow.run_failed',
    'email.sent',
    'email.opened',
    'email.clicked',
    'email.replied',
    'email.bounced',
    'email.unsubscribed',
    'webhook.failing',
    'webhook.recovered',
    'webhook.disabled',
  ])
})

/** A run of an agent may have ended before it is cancelled; that of a workflow shows the same event. */
const certain = mutations.filter(([name]) => name !== 'agents.cancelRun')

test.for(certain)('%s publishes what it declares, once for each thing that it changes', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  if (hasParameter(endpoint, 'dry_run')) {
    await app.events()
    expect((await rest(app, name, endpoint, { ...input, dry_run: true })).status).toBeLessThan(300)
    expect(await app.events()).toEqual([])
  }
  await app.events()
  expectSuccess(endpoint, await rest(app, name, endpoint, input))
  const events = await app.events()
  expect(events.map(({ type }) => type)).toEqual(
    endpoint.emits === undefined ? [] : expect.arrayContaining([endpoint.emits[0]]),
  )
  const keys = events.map(
    ({ type, object, record_id, payload }) => `${type} ${object} ${record_id} ${payload.grant_id}`,
  )
  expect(new Set(keys).size, keys.join('\n')).toBe(keys.length)
  for (const { type, payload, actor } of events) {
    const { payload: declared } = eventDefinitions[type as keyof typeof eventDefinitions]
    expect(declared.parse(payload)).toEqual(payload)
    expect(actor).toEqual({ id: app.userIds.admin, kind: 'user' })
    expect(JSON.stringify(payload)).not.toMatch(/_[A-Za-z0-9_-]{40,}|hash|token/)
  }
})

const idempotent = select(({ method, emits }) => (method === 'PATCH' || method === 'PUT') && emits !== undefined)

test.for(idempotent)('%s publishes nothing where it changes nothing', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  expectSuccess(endpoint, await rest(app, name, endpoint, input))
  await app.events()
  const again = await rest(app, name, endpoint, input)
  expect(again.status).toBeLessThan(500)
  expect(await app.events()).toEqual([])
})
