import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { objectPath, schemasOf } from '../harness/schemas.ts'
import { failed } from './kontor.ts'
import { project, schemaCommands } from './schema-commands.ts'

const app = await startApp()
await app.startJobs()
const { post } = schemasOf(app)
const records = recordsOf(app)
const { schema, write, edit, remove } = await schemaCommands(app)

test('a plan says what differs, by its exit code too, and applying twice does nothing the second time', async () => {
  expect(await schema('pull')).toMatchObject({ code: 0 })
  expect(await schema('plan')).toMatchObject({ code: 0, stdout: 'Nothing differs.\n' })
  await write('c_project', project)
  const planned = await schema('plan', '--json')
  expect([planned.code, planned.json.data.objects.map(({ object, action }: Json) => [object, action])]).toEqual([
    2,
    [['c_project', 'create']],
  ])
  expect(await schema('apply')).toMatchObject({ code: 0 })
  expect(await schema('apply')).toMatchObject({ code: 0, stdout: 'Nothing differs.\n', stderr: '' })
})

test('a field that is renamed keeps its values, and the file can stay as it is', async () => {
  const { id } = await records.create('c_project', { name: 'One', budget: 5 })
  await edit('c_project', 'budget: { type', 'cost: { xSvcPrevName: budget, type')
  expect(await schema('apply')).toMatchObject({ code: 0 })
  expect((await records.get('c_project', id)).body.data.attributes).toMatchObject({ cost: 5 })
  expect(await schema('plan')).toMatchObject({ code: 0 })
})

test('what loses values is said, and done only where that is meant', async () => {
  const { id } = await records.create('c_project', { name: 'Two', state: 'Closed' })
  await edit('c_project', '[Open, Closed]', '[Open]')
  const planned = await schema('plan')
  expect([planned.code, planned.stdout]).toEqual([
    2,
    expect.stringMatching(/^~ c_project\n[^]*loses c_project\.state \(1 record\)/),
  ])
  expect(await schema('apply')).toMatchObject({ code: 1, stderr: expect.stringContaining('--allow-loss') })
  expect((await records.get('c_project', id)).body.data.attributes.state).toBe('Closed')
  expect(await schema('apply', '--allow-loss')).toMatchObject({ code: 0 })
  expect((await records.get('c_project', id)).body.data.attributes.state).toBeNull()
})

test('an object without a file is kept, unless it is pruned', async () => {
  expect((await post({ name: 'Other', plural: 'Others' })).status).toBe(201)
  const planned = await schema('plan')
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('c_other')])
  expect(await schema('plan', '--prune')).toMatchObject({ code: 2, stdout: expect.stringContaining('- c_other') })
  expect(await schema('apply', '--prune', '--allow-loss')).toMatchObject({ code: 0 })
  expect((await app.api.get(objectPath('c_other'))).status).toBe(404)
})

test('a mistake is named with its file, and is no difference', async () => {
  await write('c_wrong', 'title: c_wrong\nproperties: { name: { type: [string }')
  expect(await schema('plan')).toEqual(expect.objectContaining(failed(1, /c_wrong\.yaml is no YAML/)))
  await write('c_wrong', 'title: c_wrong\nproperties: { name: { type: text } }')
  expect(await schema('plan')).toEqual(expect.objectContaining(failed(1, /c_wrong\.yaml: properties\.name/)))
  await remove('c_wrong')
  expect(await schema('plan', '--workspace')).toMatchObject({ code: 1 })
})

const plain = (properties: string) =>
  `title: c_plain\nxSvcLabel: { singular: Plain, plural: Plains }\nproperties: { ${properties} }\n`

test('a plan finds what is wrong with an object to come, before anything is created', async () => {
  const name = 'name: { type: [string, "null"], title: Name'
  for (const properties of [`${name} }`, 'size: { type: number, title: Size }']) {
    await write('c_plain', plain(properties))
    for (const command of ['plan', 'apply'] as const)
      expect(await schema(command)).toMatchObject({ code: 1, stderr: expect.stringContaining('xSvcPrimary: true') })
  }
  expect((await app.api.get(objectPath('c_plain'))).status).toBe(404)
  await write('c_plain', plain(`${name}, xSvcPrimary: true }`))
  expect(await schema('plan')).toMatchObject({ code: 2, stdout: expect.stringContaining('+ c_plain\n  + name: ') })
  expect(await schema('apply')).toMatchObject({ code: 0, stderr: 'Created c_plain.\n' })
})
