import type { FieldSchema } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import type { FieldKey, SchemaDocument, SchemaKeys, StoredSchema, WorkspaceSchemas } from '../../schemas/index.ts'

/** The planned version of an object, and the current one. */
export type DraftTarget = {
  readonly name: string
  /** Undefined for an object that is created. */
  readonly before: StoredSchema | undefined
  readonly document: SchemaDocument
  readonly keys: SchemaKeys
  readonly version: number
  /** The object is deleted, and this was its last document. */
  readonly gone: boolean
}

type Draft = {
  readonly before: StoredSchema | undefined
  document: SchemaDocument
  properties: Record<string, FieldSchema>
  fields: Record<string, FieldKey>
  object: string
  version: number
  gone: boolean
}

/** The objects that a change touches, while it is planned; untouched ones do not become targets. */
export class Drafts {
  readonly #schemas: WorkspaceSchemas
  readonly #drafts = new Map<string, Draft>()

  constructor(schemas: WorkspaceSchemas) {
    this.#schemas = schemas
  }

  /** Begins with a document in place of the object's current one. */
  begin(
    document: SchemaDocument,
    { version, object, fields }: { version: number; object: string; fields: Readonly<Record<string, FieldKey>> },
  ): void {
    this.#drafts.set(document.title, {
      before: this.#schemas.get(document.title),
      document,
      properties: { ...document.properties },
      fields: { ...fields },
      object,
      version,
      gone: false,
    })
  }

  end(name: string): void {
    this.#open(name).gone = true
  }

  /** The planned fields of an object; undefined if there is no such object. */
  properties(name: string): Readonly<Record<string, FieldSchema>> | undefined {
    return this.#drafts.get(name)?.properties ?? this.#schemas.get(name)?.properties
  }

  /** The document of an object without its fields. */
  document(name: string): SchemaDocument | undefined {
    return this.#drafts.get(name)?.document ?? this.#schemas.get(name)?.document
  }

  setField(name: string, field: string, schema: FieldSchema): void {
    const draft = this.#open(name)
    draft.properties[field] = schema
    draft.fields[field] ??= { key: freshKey(field, draft.before) }
  }

  dropField(name: string, field: string): void {
    const draft = this.#open(name)
    delete draft.properties[field]
    delete draft.fields[field]
    draft.document = {
      ...draft.document,
      ...(draft.document.required && { required: draft.document.required.filter((one) => one !== field) }),
    }
  }

  /** The name of a field in the index tables. */
  indexName(name: string, field: string): string {
    const { object, fields } = this.#open(name)
    return `${object}.${fields[field]?.key}`
  }

  setLink(name: string, field: string, link: FieldKey['link']): void {
    const { fields } = this.#open(name)
    fields[field] = { key: field, ...fields[field], ...(link && { link }) }
  }

  targets(): DraftTarget[] {
    return [...this.#drafts].map(([name, { before, document, properties, fields, object, version, gone }]) => ({
      name,
      before,
      document: { ...document, properties },
      keys: { object, fields },
      version,
      gone,
    }))
  }

  #open(name: string): Draft {
    let draft = this.#drafts.get(name)
    if (draft === undefined) {
      const schema = defined(this.#schemas.get(name))
      draft = {
        before: schema,
        document: schema.document,
        properties: { ...schema.properties },
        fields: { ...schema.keys.fields },
        object: schema.keys.object,
        version: schema.version + 1,
        gone: false,
      }
      this.#drafts.set(name, draft)
    }
    return draft
  }
}

/**
 * The key of a new field: its name if its object is new too, otherwise a name that was never used before, since an
 * earlier field of that name may have left values behind.
 */
export const freshKey = (name: string, before: StoredSchema | undefined): string =>
  before === undefined ? name : `${name}~${before.epoch}`
