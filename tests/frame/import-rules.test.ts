import { describe, expect, test } from 'vitest'
import { checkTree } from './scratch-tree.ts'

/** `file rule` for each violation in the tree. */
function violations(files: Record<string, string>): string[] {
  const config = ['.dependency-cruiser.cjs', 'tsconfig.base.json']
  const args = ['packages', 'tests', '--output-type', 'json']
  const output = checkTree('depcruise', args, { config, files, withDependencies: true })
  const { summary } = JSON.parse(output) as { summary: { violations: { from: string; rule: { name: string } }[] } }
  return summary.violations.map(({ from, rule }) => `${from} ${rule.name}`)
}

const server = 'packages/server/src'
const importType = (path: string) => `import type { A } from '${path}';\nexport type B = A;\n`
const importValue = (path: string) => `import { test } from '${path}';\nexport const b = test;\n`

/** Files that others import. */
const targets = {
  [`${server}/app/app.ts`]: importType('zod'),
  [`${server}/admin/admin.ts`]: importType('zod'),
  [`${server}/config.ts`]: importType('zod'),
  [`${server}/db/tx.ts`]: importType('knex'),
  [`${server}/db/open.ts`]: importType('pg'),
  [`${server}/modules/records/index.ts`]: importType('zod'),
  [`${server}/modules/records/store.ts`]: importType('knex'),
  [`${server}/modules/emails/inbound/read.ts`]: importValue('htmlparser2'),
  [`${server}/modules/emails/render/link-places.ts`]: importValue('htmlparser2'),
  [`${server}/modules/emails/inbound/read.task.ts`]: importValue('./read.ts'),
  'tests/records/people.ts': importType('zod'),
}

const refused: [rule: string, folder: string, path: string][] = [
  ['contract-is-a-leaf', 'packages/contract/src', 'vitest'],
  ['contract-is-a-leaf', 'packages/contract/src', '@trpc/server'],
  ['docs-and-client-see-the-contract', 'packages/client/src', '../../server/src/app/app.ts'],
  ['cli-sees-contract-client-admin', 'packages/cli/src', '../../server/src/app/app.ts'],
  ['tests-see-the-app', 'tests/records', '../../packages/server/src/db/tx.ts'],
  ['harness-and-bench-see-app-and-admin', 'tests/harness', '../../packages/server/src/db/tx.ts'],
  ['tests-are-not-imported', `${server}/http`, '../../../../tests/records/people.ts'],
  ['kernel-is-pure', `${server}/kernel`, 'express'],
  ['kernel-is-pure', `${server}/kernel`, '../db/open.ts'],
  ['db-knows-no-domain', `${server}/db`, '../modules/records/index.ts'],
  ['engine-knows-no-domain', `${server}/engine`, '../modules/records/index.ts'],
  ['modules-are-composed-in-app', `${server}/http`, '../modules/records/index.ts'],
  ['express-and-trpc-only-in-http', `${server}/modules/records`, 'express'],
  ['express-and-trpc-only-in-http', `${server}/kernel`, '@trpc/server'],
  ['knex-only-in-stores', `${server}/modules/records`, 'knex'],
  ['drivers-only-in-db', `${server}/modules/records`, 'pg'],
  ['modules-meet-at-index', `${server}/modules/lists`, '../records/store.ts'],
  ['modules-go-downhill-2', `${server}/modules/access`, '../records/index.ts'],
  ['modules-stay-inside', `${server}/modules/records`, '../../config.ts'],
  ['pool-knows-no-domain', `${server}/pool`, '../modules/records/index.ts'],
  ['tasks-are-not-imported', `${server}/modules/emails`, './inbound/read.task.ts'],
  ['modules-have-a-row', `${server}/modules/novelties`, '../../db/tx.ts'],
  ['nothing-unresolved', server, './missing.ts'],
  ['dependencies-are-declared', server, 'turbo'],
]
const fileOf = (folder: string, i: number) => `${folder}/${i}.ts`

describe('dependency-cruiser with the import rules', () => {
  const files: Record<string, string> = { ...targets }
  for (const [i, [, folder, path]] of refused.entries()) files[fileOf(folder, i)] = importType(path)
  files['packages/contract/src/trpc.ts'] = importType('vitest')
  files[`${server}/value.ts`] = importValue('vitest')
  files[`${server}/modules/emails/reading.ts`] = importValue('./inbound/read.ts')
  files[`${server}/modules/emails/render/decorate.ts`] = importValue('./link-places.ts')
  files[`${server}/modules/emails/mail.ts`] = importValue('htmlparser2')
  files[`${server}/modules/emails/sandbox.ts`] = importValue('node:vm')
  files[`${server}/one.ts`] = importType('./other.ts')
  files[`${server}/other.ts`] = importType('./one.ts')
  files[`${server}/alone.ts`] = 'export type A = 1;\n'
  const found = violations(files)

  test.each(refused.map(([rule, folder, path], i) => [rule, fileOf(folder, i), path] as const))(
    '%s: %s imports %s',
    (rule, file) => {
      expect(found).toContain(`${file} ${rule}`)
    },
  )

  test.each([
    ['contract-generators', 'packages/contract/src/trpc.ts'],
    ['no-dev-dependency-at-run-time', `${server}/value.ts`],
    ['untrusted-readers-only-in-tasks', `${server}/modules/emails/reading.ts`],
    ['untrusted-readers-only-in-tasks', `${server}/modules/emails/render/decorate.ts`],
    ['untrusted-formats-only-in-tasks', `${server}/modules/emails/mail.ts`],
    ['untrusted-formats-only-in-tasks', `${server}/modules/emails/sandbox.ts`],
    ['no-cycles', `${server}/one.ts`],
    ['no-orphans', `${server}/alone.ts`],
  ])('%s: %s', (rule, file) => {
    expect(found).toContain(`${file} ${rule}`)
  })

  test('what the house allows passes', () => {
    const good = {
      ...targets,
      'packages/contract/src/comments.ts': importType('zod'),
      'packages/contract/src/openapi.ts': importType('@asteasolutions/zod-to-openapi'),
      'packages/contract/src/trpc.ts': importType('@trpc/server'),
      'packages/cli/src/serve.ts': importType('../../server/src/admin/admin.ts'),
      'tests/records/list.test.ts': importType('../../packages/server/src/app/app.ts'),
      [`${server}/kernel/actor.ts`]: importType('node:http'),
      [`${server}/http/rest.ts`]: importType('express'),
      [`${server}/modules/lists/handlers.ts`]: importType('../records/index.ts'),
    }
    expect(violations(good)).toEqual([])
  })
})
