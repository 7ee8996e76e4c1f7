import { expect, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { freshUrl, key, open, workspaceId } from './fresh.ts'

const title = { type: ['string', 'null'], xSvcType: 'text', xSvcPrimary: true }

const versionOf = (version: number, properties: object, more: object = {}, keys: object = {}) => ({
  workspace_id: key(version),
  object: 'meeting',
  version,
  document: { title: 'meeting', type: 'object', properties, xSvcAccess: { default: 'none' }, ...more },
  keys,
  created_at: 0,
})

/** The names under which fields are stored where one was added. */
const keys = (added: string) => ({
  object: 'meeting',
  fields: { title: { key: 'title' }, [added]: { key: `${added}~3` } },
})

test('meetings of before have the field that says who may see them, at the end of their fields', async () => {
  const database = open(await freshUrl())
  await migrate(database, { to: 22 })
  const own = { xSvcType: 'text' }
  const record = {
    workspace_id: workspaceId,
    object: 'meeting',
    visibility: 0,
    version: 1,
    created_at: 0,
    updated_at: 0,
  }
  await database.write(async (tx) => {
    await tx.insert(
      'schema_version',
      [
        versionOf(1, { title, start: {}, all_day: {} }),
        versionOf(2, { title, room: own }, { required: ['title'] }, keys('room')),
        versionOf(3, { title, visibility: own }, {}, keys('visibility')),
      ].map((row) => ({ ...row, created_by: null, deleted_at: null })),
    )
    await tx.insert('record', [
      { ...record, id: key(1), data: { title: 'Old', start: 'x' } },
      { ...record, id: key(2), object: 'task', data: {} },
    ])
  })
  await migrate(database)
  const rows = await database.reader.query<{
    document: { properties: object; required?: string[] }
    keys: { fields?: object }
  }>(({ knex }) => knex('schema_version').select('document', 'keys').orderBy('version'))
  expect(
    rows.map(({ document }) => [Object.keys(document), Object.keys(document.properties), document.required]),
  ).toEqual([
    [
      ['title', 'type', 'properties', 'xSvcAccess', 'required'],
      ['title', 'start', 'all_day', 'visibility'],
      ['visibility'],
    ],
    [
      ['title', 'type', 'properties', 'xSvcAccess', 'required'],
      ['title', 'room', 'visibility'],
      ['title', 'visibility'],
    ],
    [['title', 'type', 'properties', 'xSvcAccess'], ['title', 'visibility'], undefined],
  ])
  expect(rows[0]?.document.properties).toMatchObject({
    visibility: { type: 'string', xSvcType: 'select', enum: ['default', 'private', 'workspace'], default: 'default' },
  })
  expect(rows.map((row) => row.keys.fields)).toEqual([
    undefined,
    { ...keys('room').fields, visibility: { key: 'visibility' } },
    keys('visibility').fields,
  ])
  const records = await database.reader.query<{ data: object }>(({ knex }) =>
    knex('record').select('data').orderBy('id'),
  )
  expect(records.map(({ data }) => data)).toEqual([{ title: 'Old', start: 'x', visibility: 'default' }, {}])
})
