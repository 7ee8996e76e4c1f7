import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRestClient, events, followEvents, resources, type RestClient } from '@kontor/client'
import { startReceiver, type Receiver } from '../automation/outside.ts'
import { createWorkflow } from '../automation/workflows.ts'
import type { MailServer } from '../mail-server.ts'
import { createPersonalKey, kontorData } from '../shell.ts'
import { tell } from '../tell.ts'
import { checkOutside, checkRecords, settle } from './check.ts'
import { Load, type Target } from './load.ts'

/** A workspace with a load, a receiver of its webhooks, and a follower of its events. */
export type LoadedWorkspace = {
  readonly id: string
  readonly email: string
  readonly rest: RestClient
  readonly target: Target
  readonly load: Load
  readonly receiver: Receiver
  readonly follower: ReturnType<typeof follow>
  readonly close: () => Promise<void>
}

/** Creates a workspace with a company and the workflow that takes orders, and follows its events; the load is idle. */
export async function openWorkspace(baseUrl: string, workspace: string): Promise<LoadedWorkspace> {
  const [email, company] = [`ada@${workspace}.example.com`, 'Aker']
  const named = ['--slug', workspace, '--name', workspace, '--admin-email', email]
  const made = await kontorData<{ workspace: { id: string } }>('workspace', 'create', ...named)
  const apiKey = await createPersonalKey(workspace, email)
  const rest = createRestClient({ url: baseUrl, apiKey })
  const attributes = { name: company }
  await rest.call(resources.create, { workspace, object: 'company', body: { data: { type: 'company', attributes } } })
  const receiver = await startReceiver()
  const { workflow, secret } = await createWorkflow(rest, workspace, { person: { email }, receiver: receiver.url })
  receiver.expect(secret)
  const target = { baseUrl, apiKey, workspace, workflow, company }
  const follower = follow(rest, target)
  const close = async (): Promise<void> => {
    receiver.stop()
    await follower.stop()
  }
  return { id: made.workspace.id, email, rest, target, receiver, load: new Load(target), follower, close }
}

/** Follows the events of the workspace, and keeps their numbers in the order in which they come. */
function follow(rest: RestClient, { workspace }: Target) {
  const stopping = new AbortController()
  const sequences: number[] = []
  const ended = (async () => {
    const followed = followEvents(rest, { workspace }, { signal: stopping.signal })
    for await (const { attributes } of followed) sequences.push(attributes.sequence)
  })()
  const stop = async (): Promise<void> => {
    stopping.abort()
    await ended
  }
  return { sequences, stop }
}

/** Asserts that what was acknowledged in a workspace is stored once, ran once, and was followed. */
export async function checkWorkspace(
  { rest, target, load, receiver, follower, email }: LoadedWorkspace,
  mailServer: MailServer,
): Promise<void> {
  const runs = await settle(rest, target, load)
  assert.deepEqual(new Set(runs), new Set(['success']), 'runs that did not succeed')
  assert.equal(runs.length, load.orders.length)
  await checkRecords(rest, target, load)
  checkOutside(
    receiver,
    mailServer.letters.filter(({ to }) => to === email),
    load,
  )
  await sleep(1000)
  await follower.stop()
  const [first = 0] = follower.sequences
  const { body } = await rest.call(events.list, { workspace: target.workspace, limit: 1 })
  assert.equal(follower.sequences.at(-1), body.meta.last_sequence)
  assert.deepEqual(
    follower.sequences,
    Array.from(follower.sequences, (_, at) => first + at),
    'events are missing',
  )
  tell(`${follower.sequences.length} events were followed in order, and none is missing`)
}
