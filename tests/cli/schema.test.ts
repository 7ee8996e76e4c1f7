import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { schemasOf } from '../harness/schemas.ts'
import { project, schemaCommands } from './schema-commands.ts'

const app = await startApp()
await app.startJobs()
const { get } = schemasOf(app)
const { schema, write, edit } = await schemaCommands(app)

test('what is pulled and edited is applied, and then differs in nothing', async () => {
  expect(await schema('pull')).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Wrote \d+ files/) })
  await write('c_project', project)
  await edit('deal', '- Won\n', '- Won\n      - On hold\n')
  const applied = await schema('apply')
  expect([applied.code, applied.stderr]).toEqual([0, 'Created c_project.\nChanged deal.\n'])
  expect((await get('c_project')).properties).toMatchObject({
    budget: { title: 'Budget' },
    company: { xSvcRelationship: { entity: 'company', field: 'projects' } },
  })
  expect((await get('deal')).properties.stage.enum).toContain('On hold')
  expect(await schema('plan')).toMatchObject({ code: 0, stdout: 'Nothing differs.\n', stderr: '' })
})
