import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Json } from '../harness/http.ts'

/** Ours take more than the validator's own: addresses and hosts beyond ASCII. */
const looseFormats = ['idn-email', 'idn-hostname', 'iri']

/**
 * Every object closed, so that a member which the document does not name is a fault; without examples, which are no
 * schemas.
 */
const closed = (node: Json): Json => {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const inner = Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => key !== 'example' && key !== 'examples')
      .map(([key, value]) => [key, closed(value)]),
  )
  return node.type === 'object' && typeof node.properties === 'object' && !('additionalProperties' in node)
    ? { ...inner, additionalProperties: false }
    : inner
}

/** Holds what is sent and answered against the OpenAPI document of a workspace. */
export class Described {
  readonly #ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
  readonly #paths: Json
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: Json) {
    for (const format of looseFormats) this.#ajv.addFormat(format, true)
    // The references of the document are from its root.
    this.#ajv.addSchema({ $id: 'http://kontor.test/document', ...closed(document) })
    this.#paths = document.paths
  }

  /** Lists the faults of an answer, or of a body that is sent. */
  faultsOfAnswer(method: string, path: string, { status, body }: { status: number; body: Json }): string | undefined {
    const response = this.#operation(method, path).responses[String(status)]
    if (response === undefined) return `${method} ${path} does not tell of ${status}`
    return '$ref' in response
      ? undefined
      : this.#faults([path, method, 'responses', String(status), 'content', 'application/json', 'schema'], body)
  }

  faultsOfBody(method: string, path: string, body: Json): string | undefined {
    this.#operation(method, path)
    return this.#faults([path, method, 'requestBody', 'content', 'application/json', 'schema'], body)
  }

  #operation(method: string, path: string): Json {
    const operation = this.#paths[path]?.[method]
    if (operation === undefined) throw new Error(`the document has no ${method} ${path}`)
    return operation
  }

  #faults(steps: readonly string[], value: Json): string | undefined {
    const escaped = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
    const pointer = `/paths/${escaped.join('/')}`
    const validate =
      this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `http://kontor.test/document#${pointer}` })
    this.#compiled.set(pointer, validate)
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors).slice(0, 1000)
  }
}
