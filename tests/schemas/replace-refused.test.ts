import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { changesOf, faultsOf, objectPath, schemasOf } from '../harness/schemas.ts'
import { nameOnly } from './name-only.ts'

const app = await startApp()
const { api } = app
const { make, get } = schemasOf(app)
const { put } = changesOf(app)

describe('what is refused', () => {
  test.for<[string, (document: Json) => void, string]>([
    [
      'another $id',
      (document) => (document.$id = 'https://x.example/schemas/entities/person'),
      '/$id: Must end in /schemas/entities/c_refused, the object in the path.',
    ],
    [
      'another title',
      (document) => (document.title = 'Refused'),
      '/title: Must be "c_refused", the object in the path; the display name is in xSvcLabel.',
    ],
    [
      'an unknown keyword',
      (document) => (document.additionalProperties = false),
      '/additionalProperties: Unknown member "additionalProperties". A schema takes: $schema, $id, title, ' +
        'type, xSvcNamespace, xSvcLabel, xSvcAIDescription, description, deprecated, properties, required, ' +
        'readOnly, xSvcAccess, xSvcPresentation.',
    ],
    [
      'no primary field',
      (document) => delete document.properties.name.xSvcPrimary,
      '/properties: One field has xSvcPrimary: true; here none has.',
    ],
    [
      'a required field that is not there',
      (document) => (document.required = ['nothing']),
      '/required/0: There is no such field in "properties".',
    ],
    [
      'one that is required twice',
      (document) => (document.required = ['name', 'name']),
      '/required/1: This field is already listed.',
    ],
    [
      'a required relationship',
      (document) => (document.required = ['boss']),
      '/required/0: A relationship cannot be required: it becomes empty when the other record is deleted.',
    ],
    [
      'a required field that no caller can fill',
      (document) => {
        document.properties.n.readOnly = true
        document.required = ['n']
      },
      '/required/0: A read-only field without a default cannot be required: no caller could set it.',
    ],
    [
      'a renaming of nothing',
      (document) => (document.properties.x = { type: 'string', xSvcPrevName: 'nothing' }),
      '/properties/x/xSvcPrevName: There is no field "nothing" to rename.',
    ],
    [
      'a renaming of what stays',
      (document) => (document.properties.x = { type: 'string', xSvcPrevName: 'n' }),
      '/properties/x/xSvcPrevName: "n" still exists: a field can only have one name.',
    ],
    [
      'another kind of relationship',
      (document) => (
        (document.properties.boss.xSvcRelationship.kind = 'many-to-many'),
        (document.properties.boss.type = 'array')
      ),
      '/properties/boss/xSvcRelationship: The kind and the object of a relationship cannot be changed: remove the ' +
        'field and add another one.',
    ],
    [
      'another way back',
      (document) => (document.properties.boss.xSvcRelationship.field = 'other'),
      '/properties/boss/xSvcRelationship/field: Must be "refusals": the other end is renamed in its own object.',
    ],
    [
      'a text that comes to lead to users',
      (document) => (document.properties.t.xSvcType = 'user_reference'),
      '/properties/t/xSvcType: A field cannot start or stop referring to users: remove it and add another one.',
    ],
    [
      'one that led to users and becomes a text',
      (document) => (document.properties.u.xSvcType = 'text'),
      '/properties/u/xSvcType: A field cannot start or stop referring to users: remove it and add another one.',
    ],
    [
      'a relationship that becomes a text',
      (document) => (document.properties.boss = { type: 'string' }),
      '/properties/boss/xSvcRelationship: The kind and the object of a relationship cannot be changed: remove the ' +
        'field and add another one.',
    ],
  ])('%s', async ([_what, change, fault]) => {
    if ((await api.get(objectPath('c_refused'))).status === 404)
      await make(
        {
          ...nameOnly,
          n: { type: 'number' },
          t: { type: 'string' },
          u: { xSvcType: 'user_reference' },
          boss: { xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: 'refusals' } },
        },
        { name: 'Refused' },
      )
    const document = await get('c_refused')
    change(document)
    const answer = await put('c_refused', document)
    expect([answer.status, ...faultsOf(answer)]).toEqual([422, fault])
  })

  test('an object that is not there', async () => {
    const { status, body } = await put('c_nothing', { $id: 'x/schemas/entities/c_nothing', properties: nameOnly })
    expect([status, body.errors[0].code]).toEqual([404, 'not_found'])
  })
})
