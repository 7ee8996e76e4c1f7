import { objectsMax, type Change, type ObjectSchemaInput, type SchemaPlan, type NewFieldSchema } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { resource } from '../../../kernel/resource.ts'
import { holdsScope } from '../../../kernel/authorise.ts'
import { countVisible, principalOf } from '../../access/index.ts'
import { listsBrokenBy } from '../../lists/index.ts'
import { isToMany, type RecordRow } from '../../objects/index.ts'
import type { SchemaChange } from '../../filters/index.ts'
import { uniqueValues } from '../../indexes/index.ts'
import { violationsOf, type Field } from '../../fields/index.ts'
import { schemaUrl, workspaceSchemas, type Sent, type WorkspaceSchemas } from '../../schemas/index.ts'
import { diffSchemas } from '../change/diff.ts'
import { effectsOf, type Effects } from '../change/effects.ts'
import { listChangeOf } from '../change/lists.ts'
import { toTaskErrors, withFaults } from '../steps/findings.ts'
import type { Finding } from '../change/payload.ts'
import { countWithOption, countWithValue, listVisibleAfter, type Visible } from './store.ts'
import { planReplacement } from '../change/replacement.ts'
import { replacementOf, checkIdentity } from './replace.ts'
import { requireObject } from '../change/request.ts'
import { Faults } from '../../records/index.ts'
import { creationTargets } from '../change/create.ts'
import { checkFields, checkTogether } from '../document/check-document.ts'
import { objectName } from '../document/names.ts'
import { newDocument } from '../document/new-document.ts'

/** The things beyond this module that name fields. */
export type BrokenBy = {
  readonly workflowsBrokenBy: (ctx: WorkspaceReadContext, change: SchemaChange) => Promise<string[]>
}

/** Records that a plan checks: a second or two of a reader's work. */
const examinedMax = 50_000
const batch = 1000

/** The effects of a creation on records, lists and workflows: there are none yet. */
const withoutEffects = {
  valid: true,
  lost: [],
  violations: [],
  examined_records: 0,
  total_records: 0,
  breaks: { lists: [], workflows: [] },
}

/**
 * The effects of replacing a document, or of creating an object by it, as far as the caller may see the records, the
 * lists and the workflows.
 */
export async function planChange(
  { workflowsBrokenBy }: BrokenBy,
  ctx: WorkspaceReadContext,
  name: string,
  given: Sent<ObjectSchemaInput>,
): Promise<SchemaPlan> {
  const schemas = await workspaceSchemas(ctx)
  if (isNameToCome(schemas, name))
    return resource('schema-plan', schemaUrl(ctx.baseUrl, name), {
      ...withoutEffects,
      changes: changesOfCreation(schemas, name, given),
    })
  const before = requireObject(schemas, name)
  const targets = planReplacement(schemas, before, replacementOf(before, given))
  const effects = targets.map(effectsOf)
  const visibleOf = ({ before: object, after }: Effects): Visible => ({
    workspaceId: ctx.workspace.workspaceId,
    object: after.key,
    principal: principalOf(ctx, (object ?? after).schema, 'read'),
  })
  const own = defined(effects.find(({ target }) => target.name === name))
  const { findings, examined } = await examine(ctx, own, visibleOf(own))
  const change = listChangeOf(schemas, targets)
  const lost = (await Promise.all(effects.map((one) => lossesOf(ctx, one, visibleOf(one))))).flat()
  return resource('schema-plan', schemaUrl(ctx.baseUrl, name), {
    valid: findings.length === 0,
    changes: effects.flatMap(changesOf),
    lost,
    violations: toTaskErrors(findings),
    examined_records: examined,
    total_records: await countVisible(ctx.tx, own.after.key, visibleOf(own).principal),
    breaks: {
      lists: holdsScope(ctx.actor, 'lists:read') ? await listsBrokenBy(ctx, change) : [],
      workflows: holdsScope(ctx.actor, 'workflows:read') ? await workflowsBrokenBy(ctx, change) : [],
    },
  })
}

const changesOf = ({ target }: Effects): Change[] =>
  diffSchemas(target.before, target).map((change) => ({ ...change, path: [target.name, ...change.path] }))

async function examine(
  ctx: WorkspaceReadContext,
  { evolution, target }: Effects,
  visible: Visible,
): Promise<{ findings: Finding[]; examined: number }> {
  let findings: Finding[] = []
  let examined = 0
  let last: RecordRow | undefined
  const seen = new Map<Field, Set<string>>(evolution.claimed.map((field) => [field, new Set()]))
  if (evolution.checked.length + evolution.claimed.length === 0) return { findings, examined }
  for (;;) {
    const rows = await listVisibleAfter(ctx.tx, visible, last, batch)
    examined += rows.length
    last = rows.at(-1)
    const faults = rows.flatMap(({ id, data }) => [
      ...violationsOf(evolution, data).map(({ field, detail }) => ({
        object: target.name,
        field,
        detail,
        conflict: false,
        recordId: id,
      })),
      ...evolution.claimed
        .filter((field) => isTaken(defined(seen.get(field)), uniqueValues(field, data)))
        .map(({ name }) => ({
          object: target.name,
          field: name,
          detail: 'Another record also has this value.',
          conflict: true,
          recordId: id,
        })),
    ])
    findings = withFaults(findings, faults)
    if (rows.length < batch || examined >= examinedMax) return { findings, examined }
  }
}

/** Returns whether a record has a value that an earlier one has; from now on its own are taken as well. */
function isTaken(seen: Set<string>, values: readonly string[]): boolean {
  const taken = values.some((value) => seen.has(value))
  for (const value of values) seen.add(value)
  return taken
}

type Loss = SchemaPlan['attributes']['lost'][number]

async function lossesOf(
  ctx: WorkspaceReadContext,
  { before, after, target, clearing }: Effects,
  visible: Visible,
): Promise<Loss[]> {
  if (before === undefined) return []
  const kept = new Set([...after.fields.values()].map(({ key }) => key))
  const dropped = [...before.fields.values()].filter((field) => !kept.has(field.key) && !isToMany(field))
  const values = dropped.map(async ({ name, key }): Promise<Loss> => ({
    field: `${target.name}.${name}`,
    reason: 'The field is removed.',
    count: await countWithValue(ctx.tx, visible, key),
  }))
  const options = [...after.fields.values()].flatMap((field) =>
    (clearing[field.key] ?? []).map(async (option): Promise<Loss> => ({
      field: `${target.name}.${field.name}`,
      reason: `The option "${option}" is removed.`,
      count: await countWithOption(ctx.tx, visible, field, option),
    })),
  )
  return Promise.all([...values, ...options])
}

/** Returns whether an object that does not exist yet may be created under a name. */
const isNameToCome = (schemas: WorkspaceSchemas, name: string): boolean =>
  !schemas.has(name) && objectName(name.slice('c_'.length)) === name

/**
 * The changes of creating an object by a document, those of related objects included; throws all faults of the
 * document. Renamings are taken as done, since there is no field yet that could have another name.
 */
function changesOfCreation(
  schemas: WorkspaceSchemas,
  name: string,
  { value, path }: Sent<ObjectSchemaInput>,
): Change[] {
  const faults = new Faults()
  const at = { properties: [...path, 'properties'], required: [...path, 'required'] }
  checkIdentity(name, value, path, faults)
  if (schemas.size >= objectsMax) faults.add(path, `A workspace can have at most ${objectsMax} objects.`)
  const fields = Object.entries(value.properties).map(
    ([field, { xSvcPrevName: _done, ...schema }]): [string, NewFieldSchema] => [field, schema],
  )
  const properties = checkFields(Object.fromEntries(fields), at.properties, faults)
  checkTogether({ properties, required: value.required }, at, faults)
  faults.throwIfAny()
  const { singular = name, plural = name } = value.xSvcLabel ?? {}
  const document = newDocument(name, { name: singular, plural }, properties)
  const targets = creationTargets(schemas, document, 0, at.properties, faults)
  faults.throwIfAny()
  return targets.flatMap((target) =>
    diffSchemas(target.before, target).map((change) => ({ ...change, path: [target.name, ...change.path] })),
  )
}
