import { describe, expect, test } from 'vitest'
import { checkTree } from './scratch-tree.ts'

const uses = {
  env: 'export const port = process.env.PORT;\n',
  importedEnv: "import { env } from 'node:process';\nexport const port = env.PORT;\n",
  dateNow: 'export const now = Date.now();\n',
  newDate: 'export const now = new Date();\n',
  newDateOf: 'export const epoch = new Date(0);\n',
  random: 'export const n = Math.random();\n',
  uuid: "import { randomUUID } from 'node:crypto';\nexport const id = randomUUID();\n",
  raw: "export const q = (knex: { raw: (sql: string) => string }): string => knex.raw('select 1');\n",
  sql: 'export const q = (sql: (text: TemplateStringsArray) => string): string => sql`select 1`;\n',
  whereRaw: "export const q = (query: { whereRaw: (sql: string) => string }): string => query.whereRaw('1 = 1');\n",
  any: 'export const f = (x: any): string => String(x);\n',
  parsed: "export const f = (): string => JSON.parse('1');\n",
  floating: 'export const f = async (): Promise<void> => {};\nf();\n',
  stored:
    'export const f = async (a: () => Promise<number>, b: () => Promise<void>): Promise<number> => { const ' +
    'begun = a(); await b(); return await begun; };\n',
  storedInField:
    'export class C { readonly #begun: Promise<number>; constructor(a: () => Promise<number>) { this.#begun ' +
    '= a(); } async end(): Promise<number> { return await this.#begun; } }\n',
  storedForAll:
    'export const f = async (a: () => Promise<number>, b: () => Promise<void>): Promise<void> => { const ' +
    'begun = a(); await b(); await Promise.all([begun]); };\n',
  handled:
    'export const f = async (handled: (one: Promise<number>) => Promise<number>, a: () => Promise<number>, ' +
    'b: () => Promise<void>): Promise<number> => { const begun = handled(a()); await b(); return await ' +
    'begun; };\n',
  changedLater: 'let last = 0;\nexport const next = (): number => ++last;\n',
  remembered: 'class LRUCache<K, V> extends Map<K, V> {}\nexport const known = new LRUCache<string, number>();\n',
  rememberedFor: 'export const known = new WeakMap<object, number>();\n',
  filled:
    'const known = new Map<string, number>();\nexport const note = (name: string): void => void known.set(name, 1);\n',
  heldByClass: 'export class C { static readonly known = new Map<string, number>(); }\n',
  table:
    "const known = new Map<string, number>([['a', 1]]);\nfor (const name of ['b', 'c']) known.set(name, " +
    '2);\nexport const find = (name: string): number | undefined => { const own = new Map(known); ' +
    "own.set('d', 3); return own.get(name); };\n",
  valuePattern: 'export const f = (text: string): RegExp => new RegExp(text);\n',
  constantPattern: "const part = 'a';\nexport const f = new RegExp(`${part}+`);\n",
  foreignSchema: "import { z } from 'zod';\nexport const f = (): unknown => z.fromJSONSchema({});\n",
  participle: 'type Asked = { readonly id: string };\nexport const f = ({ id }: Asked): string => id;\n',
  clause: '/** What it does. */\nexport const g = (): boolean => true;\n',
  whether: '/** Whether it is. */\nexport const f = (): boolean => true;\n',
  byDefault: 'export default 1;\n',
  long: 'export {};\n'.repeat(401),
}

const refused: [folder: string, use: keyof typeof uses, rule: string][] = [
  ['packages/server/src', 'env', 'kontor(settings)'],
  ['packages/server/src', 'importedEnv', 'kontor(settings)'],
  ['packages/cli/src', 'env', 'kontor(settings)'],
  ['packages/server/src', 'participle', 'kontor(type-names)'],
  ['packages/cli/src', 'whether', 'kontor(docstrings)'],
  ['packages/server/src', 'clause', 'kontor(docstrings)'],
  ['packages/server/src', 'dateNow', 'kontor(clock)'],
  ['packages/server/src/modules/records', 'newDate', 'kontor(clock)'],
  ['packages/server/src', 'random', 'kontor(ids)'],
  ['packages/server/src', 'uuid', 'kontor(ids)'],
  ['packages/server/src/modules/records', 'raw', 'kontor(raw-sql)'],
  ['packages/server/src/modules/records', 'whereRaw', 'kontor(raw-sql)'],
  ['packages/server/src/modules/records', 'sql', 'kontor(sql-template)'],
  ['packages/server/src', 'stored', 'kontor(stored-promise)'],
  ['packages/server/src/db', 'storedInField', 'kontor(stored-promise)'],
  ['packages/server/src/modules/records', 'storedForAll', 'kontor(stored-promise)'],
  ['packages/server/src/modules/lists', 'valuePattern', 'kontor(untrusted-pattern)'],
  ['packages/server/src/modules/lists', 'foreignSchema', 'kontor(untrusted-pattern)'],
  ['packages/server/src', 'changedLater', 'kontor(module-state)'],
  ['packages/server/src/http', 'remembered', 'kontor(module-state)'],
  ['packages/server/src/modules/records', 'rememberedFor', 'kontor(module-state)'],
  ['packages/server/src/db', 'filled', 'kontor(module-state)'],
  ['packages/server/src/kernel', 'heldByClass', 'kontor(module-state)'],
  ['packages/contract/src', 'any', 'typescript(no-explicit-any)'],
  ['packages/contract/src', 'parsed', 'typescript(no-unsafe-return)'],
  ['tests/harness', 'floating', 'typescript(no-floating-promises)'],
  ['packages/contract/src', 'byDefault', 'import(no-default-export)'],
  ['packages/contract/src', 'long', 'eslint(max-lines)'],
]

const allowed: Record<string, keyof typeof uses> = {
  'packages/server/src/config.ts': 'env',
  'packages/server/src/kernel/clock.ts': 'newDate',
  'packages/server/src/kernel/ids.ts': 'uuid',
  'packages/server/src/db/postgres.ts': 'raw',
  'packages/server/src/db/expressions.ts': 'sql',
  'packages/server/src/modules/records/store.ts': 'sql',
  'packages/server/src/modules/records/rules.ts': 'newDateOf',
  'packages/server/src/modules/records/keeps.ts': 'handled',
  'packages/server/src/modules/records/table.ts': 'table',
  'packages/server/src/modules/lists/constants.ts': 'constantPattern',
  'packages/server/src/modules/lists/check.task.ts': 'valuePattern',
  'packages/server/src/state.test.ts': 'changedLater',
  'packages/server/src/stored.test.ts': 'stored',
  'tests/vitest.config.ts': 'byDefault',
}

describe('oxlint with the house rules', () => {
  const config = ['.oxlintrc.json', 'tools/lint-rules.mjs', 'tsconfig.base.json']
  const files: Record<string, string> = {
    'tsconfig.json': '{"extends":"./tsconfig.base.json","compilerOptions":{"types":[]}}',
  }
  for (const [folder, use] of refused) files[`${folder}/${use}.ts`] = uses[use]
  for (const [file, use] of Object.entries(allowed)) files[file] = uses[use]

  const output = checkTree('oxlint', ['--format=unix'], { config, files, withDependencies: false })
  const findings = output.split('\n').flatMap((line) => {
    const match = /^(\S+?):\d+:\d+: .*\/([\w-]+\([\w-]+\))\]$/.exec(line)
    return match ? [`${match[1]} ${match[2]}`] : []
  })

  test.each(refused)('in %s, %s breaks %s', (folder, use, rule) => {
    expect(findings).toContain(`${folder}/${use}.ts ${rule}`)
  })

  test.each(Object.entries(allowed))('%s may do it: %s', (file) => {
    // Without packages some types are unknown here, and that is reported too.
    const house = findings.filter((finding) => /kontor|no-default-export/.test(finding))
    expect(house.filter((finding) => finding.startsWith(`${file} `))).toEqual([])
  })
})
