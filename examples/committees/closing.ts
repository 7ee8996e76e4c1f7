import { type RestClient, schemas } from '@kontor/client'
import { patiently, until, untilDone, workspace } from './model.ts'

type End = { readonly object: string; readonly field: string; readonly title: string }

const documentOf = async (rest: RestClient, object: string) =>
  (await rest.call(schemas.get, { workspace, object })).body.data.attributes

/** One of the second to many of the first; both ends are there when this returns. */
export async function addRelationship(rest: RestClient, many: End, one: End): Promise<void> {
  const attributes = {
    [many.object]: {
      [many.field]: {
        title: many.title,
        xSvcRelationship: { kind: 'many-to-one' as const, entity: one.object, field: one.field },
      },
    },
    [one.object]: {
      [one.field]: {
        title: one.title,
        xSvcRelationship: { kind: 'one-to-many' as const, entity: many.object, field: many.field },
      },
    },
  }
  await patiently(() =>
    rest.call(schemas.addRelationship, {
      workspace,
      entity: many.object,
      body: { data: { type: 'relationship', attributes } },
    }),
  )
  await until(`the field ${one.field}`, async () => one.field in (await documentOf(rest, one.object)).properties)
}

/** From now on members see only what is shared with them. */
export async function closeToMembers(rest: RestClient, object: string): Promise<void> {
  const { body } = await patiently(async () =>
    rest.call(schemas.replace, {
      workspace,
      object,
      body: { ...(await documentOf(rest, object)), xSvcAccess: { default: 'none' } },
    }),
  )
  await untilDone(rest, body.data.id)
}
