import { expect, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { migrations } from '../../packages/server/src/db/migrations/index.ts'
import { freshDatabase, key, workspaceId } from './fresh.ts'

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
  const database = await freshDatabase()
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
  await migrate(database, { to: 23 })
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

test('the recording of meetings of before is off where no one has switched it, in indexes too', async () => {
  const database = await freshDatabase()
  const before = migrations.findIndex(({ name }) => name === '0049-recording-enabled')
  await migrate(database, { to: before })
  const recording = { type: ['boolean', 'null'], title: 'Recording', xSvcType: 'checkbox' }
  const record = { workspace_id: workspaceId, visibility: 0, version: 1, created_at: 0, updated_at: 0 }
  const indexed = { workspace_id: workspaceId, field: 'meeting.recording_enabled', visibility: 0 }
  await database.write(async (tx) => {
    await tx.insert(
      'schema_version',
      [
        versionOf(1, { title, recording_enabled: recording, notes: {} }),
        versionOf(2, { recording_enabled: { ...recording, description: 'Mine' } }, { required: ['visibility'] }),
        { ...versionOf(3, { recording_enabled: recording }), object: 'c_call' },
      ].map((row) => ({ ...row, created_by: null, deleted_at: null })),
    )
    await tx.insert('record', [
      { ...record, object: 'meeting', id: key(1), data: { title: 'Never' } },
      { ...record, object: 'meeting', id: key(2), data: { recording_enabled: null } },
      { ...record, object: 'meeting', id: key(3), data: { recording_enabled: true } },
      { ...record, object: 'task', id: key(4), data: {} },
    ])
    await tx.insert('field_number', [
      { ...indexed, is_null: 1, number_value: 0, record_id: key(1) },
      { ...indexed, is_null: 0, number_value: 1, record_id: key(3) },
    ])
  })
  await migrate(database)
  const documents = await database.reader.query<{ document: { properties: object; required?: string[] } }>(({ knex }) =>
    knex('schema_version').select('document').orderBy('version'),
  )
  const off = { type: 'boolean', title: 'Recording', xSvcType: 'checkbox' }
  expect(documents.map(({ document: { properties, required } }) => [JSON.stringify(properties), required])).toEqual([
    [JSON.stringify({ title, recording_enabled: { ...off, default: false }, notes: {} }), ['recording_enabled']],
    [
      JSON.stringify({ recording_enabled: { ...off, description: 'Mine', default: false } }),
      ['visibility', 'recording_enabled'],
    ],
    [JSON.stringify({ recording_enabled: recording }), undefined],
  ])
  const records = await database.reader.query<{ data: object }>(({ knex }) =>
    knex('record').select('data').orderBy('id'),
  )
  expect(records.map(({ data }) => data)).toEqual([
    { title: 'Never', recording_enabled: false },
    { recording_enabled: false },
    { recording_enabled: true },
    {},
  ])
  const values = await database.reader.query<object>(({ knex }) =>
    knex('field_number').select('is_null', 'number_value').orderBy('record_id'),
  )
  expect(values).toEqual([
    { is_null: 0, number_value: 0 },
    { is_null: 0, number_value: 1 },
  ])
})

test('who had unsubscribed before is known as a person from then on', async () => {
  const database = await freshDatabase()
  await migrate(database, { to: 47 })
  const email = {
    workspace_id: workspaceId,
    email_state: 'sent',
    in_sequence: true,
    block: 'letter',
    actor: {},
    recipients: [],
    left_out: [],
    sender: 'acme@example.com',
    message_id: '<1@acme.example>',
    subject: 'A',
    body_text: 'B',
    files: [],
    opens: 0,
    clicks: 0,
    created_at: 0,
    updated_at: 0,
  }
  const suppression = { workspace_id: workspaceId, note: null, created_at: 0, created_by: null }
  const nothing = {
    workflow_id: null,
    run_id: null,
    body_html: null,
    failure_detail: null,
    bounce: null,
    sent_at: null,
    opened_at: null,
    clicked_at: null,
    replied_at: null,
    bounced_at: null,
    unsubscribed_at: null,
  }
  await database.write(async (tx) => {
    const letters = [
      { ...email, ...nothing, id: key(1), letter_key: 'a', person_id: key(11) },
      { ...email, ...nothing, id: key(2), letter_key: 'b', person_id: null },
    ]
    // As a row was then.
    await tx.insert('email', letters as unknown as Parameters<typeof tx.insert<'email'>>[1])
    await tx.insert('suppression', [
      { ...suppression, id: key(21), address: 'a@example.com', reason: 'unsubscribed', email_id: key(1) },
      { ...suppression, id: key(22), address: 'b@example.com', reason: 'unsubscribed', email_id: key(2) },
      { ...suppression, id: key(23), address: 'c@example.com', reason: 'bounced', email_id: key(1) },
      { ...suppression, id: key(24), address: 'd@example.com', reason: 'manual', email_id: null },
    ])
  })
  await migrate(database)
  const rows = await database.reader.query<{ address: string; person_id: string | null }>(({ knex }) =>
    knex('suppression').select('address', 'person_id').whereNotNull('person_id'),
  )
  expect(rows).toEqual([{ address: 'a@example.com', person_id: key(11) }])
})

const claim = (key_value: string, record: number, field = 'deal.code') => ({
  workspace_id: workspaceId,
  field,
  key_value,
  record_id: key(record),
})

test('what was compared otherwise before is compared by what is seen', async () => {
  const database = await freshDatabase()
  await migrate(database, { to: migrations.findIndex(({ name }) => name === '0050-compared-values') })
  const properties = { phone_numbers: { type: 'object', xSvcType: 'phone_numbers' } }
  await database.write(async (tx) => {
    await tx.insert('schema_version', [
      { ...versionOf(1, properties), workspace_id: workspaceId, object: 'person', created_by: null, deleted_at: null },
    ])
    await tx.insert('unique_key', [
      claim('\u200bonly ', 1),
      claim('twice', 2),
      claim('twice ', 3),
      claim('both\n', 4),
      claim('both ', 5),
      claim('twice ', 6, 'deal.other'),
      claim(`${'x'.repeat(128)} #${'0'.repeat(80)}`, 7),
    ])
  })
  await migrate(database)
  const claims = await database.reader.query<{ key_value: string }>(({ knex }) =>
    knex('unique_key').select('key_value').orderBy('record_id'),
  )
  expect(claims.map(({ key_value }) => key_value)).toEqual([
    'only',
    'twice',
    'twice ',
    'both',
    'both ',
    'twice',
    `${'x'.repeat(128)} #${'0'.repeat(80)}`,
  ])
  const jobs = await database.reader.query<{ payload: object }>(({ knex }) =>
    knex('job').select('payload').where('kind', 'records.documents'),
  )
  expect(jobs.map(({ payload }) => payload)).toEqual([{ object: 'person', first: false, waiting: null }])
})

const change = (path: string, val: string | null, oldVal: string | null) => [
  { op: 'update', path: [path], val, oldVal },
]

test('events of lists before know their list, and those of a list that is deleted are nobody’s', async () => {
  const database = await freshDatabase()
  await migrate(database, { to: migrations.findIndex(({ name }) => name === '0051-events-of-lists') })
  const [list, gone] = [key(21), key(22)]
  const event = {
    workspace_id: workspaceId,
    record_id: key(1),
    place: 1,
    object: 'person',
    actor_id: key(9),
    actor_entity: 'user',
    source_id: null,
    run_id: null,
    began_at: 0,
    created_at: 0,
  }
  await database.write(async (tx) => {
    const events = [
      { ...event, id: key(31), position: 1, type: 'svc:add-to-list', diff: change('lists', list, null) },
      { ...event, id: key(32), position: 2, type: 'svc:remove-from-list', diff: change('lists', null, gone) },
      { ...event, id: key(33), position: 3, type: 'svc:update:record', diff: change('lists', list, null) },
    ]
    // As a row was then.
    await tx.insert('activity', events)
    await tx.insert('list', [
      {
        workspace_id: workspaceId,
        id: list,
        object: 'person',
        visibility: 1,
        owner_id: key(9),
        version: 1,
        title: 'Kept',
        emoji: '',
        description: '',
        type: 'static',
        state: 'draft',
        layout: 'table',
        options: {},
        query: null,
        query_version_id: null,
        rank: 1,
        applied_version_id: null,
        evaluation_status: 'not_evaluated',
        evaluation_started_at: null,
        evaluated_at: null,
        created_at: 0,
        created_by: key(9),
        updated_at: 0,
        updated_by: key(9),
      },
    ])
  })
  await migrate(database)
  const read = (table: string, ...columns: string[]) =>
    database.reader.query<object>(({ knex }) => knex(table).select(columns).orderBy('id'))
  expect(await read('activity', 'list_id')).toEqual([{ list_id: list }, { list_id: gone }, { list_id: null }])
  expect(await read('deleted_list', 'id', 'visibility', 'owner_id')).toEqual([
    { id: gone, visibility: 0, owner_id: null },
  ])
})

test('people of campaigns of before were sent their letters when those were accepted', async () => {
  const database = await freshDatabase()
  const last = migrations.findIndex(({ name }) => name === '0058-sent-letters')
  await migrate(database, { to: last })
  await database.write(async (tx) => {
    const letter = {
      workspace_id: workspaceId,
      in_sequence: true,
      person_id: null,
      workflow_id: key(1),
      block: 'send',
      actor: {},
      recipients: [],
      left_out: [],
      files: [],
      machine_opens: 0,
      machine_clicks: 0,
      sender: '',
      message_id: '',
      subject: '',
      body_text: '',
      opens: 0,
      clicks: 0,
      created_at: 0,
      updated_at: 0,
    }
    await tx.insert('email', [
      { ...letter, id: key(21), letter_key: 'a', run_id: key(11), email_state: 'sent', sent_at: 500 },
      { ...letter, id: key(22), letter_key: 'b', run_id: key(11), email_state: 'kept', sent_at: 700 },
      { ...letter, id: key(23), letter_key: 'c', run_id: key(12), email_state: 'refused', sent_at: null },
    ])
    await tx.insert(
      'campaign_recipient',
      [11, 12].map((run) => ({
        workspace_id: workspaceId,
        workflow_id: key(1),
        person_id: key(run + 20),
        run_id: key(run),
        delivery: 'active',
        run_status: 'waiting',
        engagement: 0,
        has_unsubscribed: false,
        hidden: false,
        created_at: 0,
        updated_at: 0,
      })),
    )
  })
  await migrate(database, { to: last + 1 })
  const rows = await database.reader.query<{ last_sent_at: number | null }>(({ knex }) =>
    knex('campaign_recipient').select('last_sent_at').orderBy('run_id'),
  )
  expect(rows.map(({ last_sent_at }) => last_sent_at)).toEqual([700, null])
})

test('people of campaigns of before are counted by how they came to their end, unless they are deleted', async () => {
  const database = await freshDatabase()
  const last = migrations.findIndex(({ name }) => name === '0066-recipient-totals')
  await migrate(database, { to: last })
  const of = { workspace_id: workspaceId, workflow_id: key(1), created_at: 0, updated_at: 0 }
  const person = { ...of, engagement: 0, has_unsubscribed: false, hidden: false, last_sent_at: null }
  const people = [
    { ...person, delivery: 'active', run_status: 'waiting' },
    { ...person, delivery: 'completed', run_status: 'success', last_sent_at: 5 },
    { ...person, delivery: 'failed', run_status: 'failed', last_sent_at: 5 },
    { ...person, delivery: 'failed', run_status: 'cancelled' },
    { ...person, delivery: 'failed', run_status: 'cancelled', hidden: true },
    { ...person, delivery: 'failed', run_status: 'suppressed' },
    { ...person, delivery: 'unsubscribed', run_status: 'cancelled' },
  ].map((row, index) => ({ ...row, person_id: key(index + 10), run_id: key(index + 30) }))
  await database.write((tx) => tx.insert('campaign_recipient', people))
  await migrate(database, { to: last + 1 })
  const rows = await database.reader.query<{ object: string; total: number }>(({ knex }) =>
    knex('record_count').select('object', 'total').orderBy('object'),
  )
  expect(rows.map(({ object, total }) => [object.replace(`recipients/${key(1)}/`, ''), total])).toEqual([
    ['completed/sent', 1],
    ['failed/failed', 2],
    ['failed/suppressed', 1],
    ['unsubscribed/suppressed', 1],
  ])
})
