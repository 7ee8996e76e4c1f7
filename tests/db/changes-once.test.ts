import { expect, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { migrations } from '../../packages/server/src/db/migrations/index.ts'
import { freshDatabase, key, workspaceId } from './fresh.ts'

test('back at an earlier version, each event has its changes again', async () => {
  const database = await freshDatabase()
  const diff = [{ op: 'update', path: ['name'], val: 'New', oldVal: 'Old' }]
  const shared = { workspace_id: workspaceId, object: 'deal', record_id: key(1), created_at: 1 }
  const logged = { ...shared, actor: {}, silent: false, payload: {} }
  await database.write(async (tx) => {
    await tx.insert('event', [
      { ...logged, sequence: 1, id: key(11), type: 'record.updated' },
      { ...logged, sequence: 2, id: key(12), type: 'record.deleted' },
      { ...logged, sequence: 3, id: key(13), type: 'record.updated', payload: { diff: [] } },
    ])
    const shown = { ...shared, position: 1, type: 'svc:update', actor_id: 'a', actor_entity: 'user', began_at: 1, diff }
    await tx.insert(
      'activity',
      [11, 12, 13].map((number) => ({ ...shown, place: number, id: key(number) })),
    )
  })
  await migrate(database, { to: migrations.findIndex(({ name }) => name === '0145-changes-once') })
  const events = await database.reader.query<{ payload: unknown }>(({ knex }) =>
    knex('event').select('payload').orderBy('sequence'),
  )
  expect(events.map(({ payload }) => payload)).toEqual([{ diff }, {}, { diff: [] }])
})
