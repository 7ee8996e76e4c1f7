import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  asyncTasks,
  type FieldSchema,
  type InputOf,
  KontorError,
  type ObjectSchemaDocument,
  type RestClient,
  schemas,
} from '@kontor/client'

export const workspace = 'congress'
export const object = 'c_committee'
export const committees = { workspace, object }

const pollMs = 20
const patienceMs = 60_000

/** Waits until something holds. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const from = performance.now()
  while (!(await holds())) {
    assert.ok(performance.now() - from < patienceMs, `${what} takes too long`)
    await sleep(pollMs)
  }
}

/** The document of the object as it is now. */
export const documentOf = async (rest: RestClient): Promise<ObjectSchemaDocument> =>
  (await rest.call(schemas.get, committees)).body.data.attributes

/** Waits until the schema has a field. */
const untilField = (rest: RestClient, name: string): Promise<void> =>
  until(`the field ${name}`, async () => name in (await documentOf(rest)).properties)

/** Waits until a change of a schema has ended, and insists that it went well. */
export async function untilDone(rest: RestClient, id: string): Promise<void> {
  await until('the change of the schema', async () => {
    const { state, error_code: fault } = (await rest.call(asyncTasks.get, { workspace, id })).body.data.attributes
    assert.ok(['queued', 'running', 'completed'].includes(state), `the change ended as ${state}: ${fault}`)
    return state === 'completed'
  })
}

/** Asks for a change of a schema; while another one of it is under way, asks again as late as the answer says. */
export async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const wait = waitOf(error)
      if (wait === undefined || performance.now() > deadline) throw error
      await sleep(wait)
    }
  }
}

/**
 * Milliseconds until a change that was refused because of another one may be asked for again; undefined for any other
 * error.
 */
function waitOf(error: unknown): number | undefined {
  const later =
    error instanceof KontorError && error.errors.some(({ code }) => code === 'schema_modification_in_progress')
  return later ? (error.retryAfterSeconds ?? 1) * 1000 : undefined
}

/** Adds a field; it is there when this returns. */
export async function addField(rest: RestClient, name: string, schema: FieldSchema): Promise<void> {
  await patiently(() =>
    rest.call(schemas.addProperties, {
      workspace,
      entity: object,
      body: { data: { type: 'schema-properties', attributes: { [name]: schema } } },
    }),
  )
  await untilField(rest, name)
}

/** A committee as an object of the workspace: with its parent, which is a committee too, and its members. */
export async function makeObject(rest: RestClient, kinds: readonly string[]): Promise<void> {
  const properties: Record<string, FieldSchema> = {
    name: { xSvcType: 'text', title: 'Name', xSvcPrimary: true },
    code: { xSvcType: 'text', title: 'Code', xSvcUnique: true, pattern: '^[A-Z]+[0-9]*$' },
    kind: { xSvcType: 'select', title: 'Kind', enum: [...kinds] },
    website: { xSvcType: 'text', title: 'Website' },
    jurisdiction: { xSvcType: 'long_text', title: 'Jurisdiction' },
  }
  const made = await rest.call(schemas.create, {
    workspace,
    body: {
      name: 'Committee',
      plural: 'Committees',
      description: 'A committee or subcommittee of the Congress',
      properties,
    },
  })
  assert.equal(made.body.data.attributes.title, object)
  const relate = (attributes: InputOf<typeof schemas.addRelationship>['body']['data']['attributes']) =>
    patiently(() =>
      rest.call(schemas.addRelationship, {
        workspace,
        entity: object,
        body: { data: { type: 'relationship', attributes } },
      }),
    )
  await relate({
    [object]: {
      parent: { title: 'Part of', xSvcRelationship: { kind: 'many-to-one', entity: object, field: 'subcommittees' } },
      subcommittees: {
        title: 'Subcommittees',
        xSvcRelationship: { kind: 'one-to-many', entity: object, field: 'parent' },
      },
    },
  })
  await untilField(rest, 'subcommittees')
  await relate({
    [object]: {
      members: { title: 'Members', xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'committees' } },
    },
    person: {
      committees: { title: 'Committees', xSvcRelationship: { kind: 'many-to-many', entity: object, field: 'members' } },
    },
  })
  await untilField(rest, 'members')
}
