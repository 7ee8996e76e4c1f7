import type { FieldSchema, TaskError } from '@kontor/contract'
import { defined, isString } from '../../../lib/guards.ts'
import { Faults } from '../../records/index.ts'
import { typeOf } from '../../objects/index.ts'
import { canonicalField, checkSpelling, placeAsSent, violationsOf } from '../../fields/index.ts'
import {
  holdSchemas,
  schemaUrl,
  type OptionsChange,
  type OptionsResult,
  type SchemaContext,
  type Sent,
  type StoredSchema,
} from '../../schemas/index.ts'
import { effectsOf } from '../change/effects.ts'
import type { DraftTarget } from '../change/drafts.ts'
import { atFields, replacementTargets } from '../change/replace.ts'
import { checkFields } from '../document/check-document.ts'
import { toTaskErrors, withFaults } from '../steps/findings.ts'
import { lookOn } from '../steps/records.ts'
import { applyNow, startChange, type Services, isSilent } from '../queue/begin.ts'
import { objectOfId } from './replace.ts'

type Path = Sent<unknown>['path']
type SentOptions = OptionsChange['attributes'][string]
/** Includes their path in the body. */
type Options = {
  readonly enum: readonly unknown[]
  readonly metadata: FieldSchema['xSvcEnumMetadata']
  readonly at: Path
}

/** Adds options to selects or removes them; returns what prevents it, or the resulting options. */
export async function updateOptions(
  services: Services,
  ctx: SchemaContext,
  { value, path }: Sent<OptionsChange>,
): Promise<OptionsResult> {
  const schemas = await holdSchemas(ctx)
  const schema = schemas.get(objectOfId(value.id))
  const faults = new Faults()
  if (schema === undefined) faults.add([...path, 'id'], 'There is no such schema: this is the "$id" of one.')
  faults.throwIfAny()
  const before = defined(schema)
  const fields = Object.entries(value.attributes).map(([name, sent]): [string, FieldSchema] => {
    const options = optionsOf(sent, [...path, 'attributes', name], faults)
    return [
      name,
      options === undefined ? {} : changedOptions(before, name, options, value.meta[name]?.enum, path, faults),
    ]
  })
  for (const name of Object.keys(value.meta))
    if (!Object.hasOwn(value.attributes, name))
      faults.add([...path, 'meta', name], 'There are no options for this field in "attributes".')
  faults.throwIfAny()
  const properties = { ...before.document.properties, ...Object.fromEntries(fields) }
  checkFields(Object.fromEntries(fields), [...path, 'attributes'], faults)
  const targets = replacementTargets(
    schemas,
    before,
    { document: { ...before.document, properties }, renames: new Map(), path: [] },
    atFields(faults, [...path, 'attributes']),
  )
  faults.throwIfAny()
  const errors = await usesOf(ctx, targets)
  const result = { id: schemaUrl(ctx.baseUrl, before.title), type: 'schema-validation-result' as const }
  if (errors.length > 0) return { ...result, attributes: { isValid: false, errors } }
  if (Object.values(value.meta).some((meta) => meta.enum === 'remove'))
    await startChange(ctx, before.title, targets, isSilent(ctx))
  else await applyNow(services, ctx, targets)
  return {
    ...result,
    attributes: {
      isValid: true,
      values: Object.fromEntries(fields.map(([name, one]) => [name, (one.enum ?? []).filter(isString)])),
    },
  }
}

/** The options that were sent, in either form of a select; undefined after a fault. */
function optionsOf(sent: SentOptions, at: Path, faults: Faults): Options | undefined {
  checkSpelling(sent, (path, detail) => faults.add([...at, ...path], detail))
  const { enum: options } = canonicalField(sent)
  if (options === undefined) faults.add([...at, 'enum'], 'Requires the options.')
  return options && { enum: options, metadata: sent.xSvcEnumMetadata, at: [...at, ...placeAsSent(sent, ['enum'])] }
}

function changedOptions(
  before: StoredSchema,
  name: string,
  given: Options,
  way: 'append' | 'remove' | undefined,
  path: Path,
  faults: Faults,
): FieldSchema {
  const schema = Object.hasOwn(before.properties, name) ? before.properties[name] : undefined
  const selects = Object.keys(before.properties).filter((one) =>
    ['select', 'multi_select'].includes(typeOf(defined(before.properties[one])).name),
  )
  if (schema === undefined || !selects.includes(name)) {
    faults.addUnknown([...path, 'attributes', name], `${before.title} has no select "${name}".`, name, selects)
    return {}
  }
  if (way === undefined)
    faults.add([...path, 'meta', name], 'Must be {"enum":"append"} or {"enum":"remove"} for this field.')
  const known = schema.enum ?? []
  if (way === 'append')
    return withMetadata(schema, [...new Set([...known, ...given.enum])], {
      ...schema.xSvcEnumMetadata,
      ...given.metadata,
    })
  given.enum.forEach((option, index) => {
    if (!known.includes(option))
      faults.add([...given.at, index], `There is no such option; the options are: ${known.join(', ')}.`)
  })
  const left = known.filter((option) => !given.enum.includes(option))
  if (left.length === 0) faults.add(given.at, 'A select must keep at least one option.')
  return withMetadata(schema, left, schema.xSvcEnumMetadata ?? {})
}

/** Keeps metadata only for existing options. */
function withMetadata(
  { xSvcEnumMetadata: _old, ...schema }: FieldSchema,
  options: unknown[],
  metadata: NonNullable<FieldSchema['xSvcEnumMetadata']>,
): FieldSchema {
  const kept = Object.entries(metadata).filter(([option]) => options.includes(option))
  return { ...schema, enum: options, ...(kept.length > 0 && { xSvcEnumMetadata: Object.fromEntries(kept) }) }
}

/** Records that are checked before the answer; the task checks all of them. */
const lookedAtMax = 2000

/** Records that would be left without a required value. */
async function usesOf(ctx: SchemaContext, targets: readonly DraftTarget[]): Promise<TaskError[]> {
  const found = await Promise.all(
    targets.map(effectsOf).map(async ({ evolution, after, target }) => {
      if (evolution.checked.length === 0) return []
      const { records } = await lookOn(
        ctx.tx,
        ctx.workspace.workspaceId,
        { object: after.key, index: 0, place: null },
        lookedAtMax,
      )
      const faults = records.flatMap(({ id, data }) =>
        violationsOf(evolution, data).map(({ field, detail }) => ({
          object: target.name,
          field,
          detail,
          conflict: false,
          recordId: id,
        })),
      )
      return toTaskErrors(withFaults([], faults))
    }),
  )
  return found.flat()
}
