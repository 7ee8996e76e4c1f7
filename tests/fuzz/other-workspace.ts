import type { TestApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import type { Foreign } from './words.ts'
import type { WireAnswer } from './wire.ts'

/** Begins every text of the other workspace that callers cannot know. */
const mark = 'zq7canary'

/** Begins those that they can: they may send them, but not find anything by them. */
const knownMark = 'zq7known'

const path = '/workspaces/other'

let serial = 0

/** Values for each type of field, all of which show where they came from. */
const markedByType: Readonly<Record<string, (text: string) => Json>> = {
  text: (text) => text,
  long_text: (text) => text,
  url: (text) => `https://${text}.example`,
  rich_text: (text) => ({ text: [{ type: 'paragraph', content: [{ type: 'text', text }] }] }),
  number: () => 81_726_354.1234,
  currency: () => 81_726_354.1234,
  date: () => '1907-03-05',
  timestamp: () => '1907-03-05T01:02:03.000Z',
  email_addresses: (text) => ({ items: [`${text}@canary.example`] }),
  phone_numbers: (text) => ({ items: [`${text} phone`] }),
  domains: (text) => ({ items: [`${text}.example`] }),
  labels: (text) => ({ items: [text] }),
  participants: (text) => ({ items: [{ email: `${text}@canary.example`, name: text }] }),
  location: (text) => ({ city: text }),
  person_name: (text) => ({ first_name: text, last_name: text }),
  json: (text) => ({ [text]: text }),
}

const secretText = new RegExp(`${mark}[a-z0-9]+|81726354\\.1234|1907-03-05|stranger@example`)
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const cursor = /page%5B(?:after|before|cursor)%5D=([\w-]+)/g

/** The things that no caller of the first workspace may ever see. */
export class Secrets {
  readonly #ids: ReadonlySet<string>

  constructor(ids: ReadonlySet<string>) {
    this.#ids = ids
  }

  /** Returns the secret that an answer shows in its headers, its body or inside of its cursors. */
  foundIn({ status, headers, text }: WireAnswer): string | undefined {
    // A refusal may repeat a cursor that the caller sent; one of the answer's own is in a success.
    const inside =
      status < 300 && text.includes('page%5B')
        ? [...text.matchAll(cursor)].map(([, opaque]) => Buffer.from(opaque as string, 'base64url').toString())
        : []
    for (const part of [text, ...inside, JSON.stringify(headers)]) {
      const marked = secretText.exec(part)?.[0]
      if (marked !== undefined) return marked
      for (const [id] of part.matchAll(uuid)) if (this.#ids.has(id)) return id
    }
    return undefined
  }
}

type Filled = { readonly secrets: Secrets; readonly foreign: Foreign }

/**
 * Fills the other workspace with things of every kind. Of each object there are three records: one whose id callers
 * know, one whose values they know, and one of which they know nothing.
 */
export async function fillOther(app: TestApp): Promise<Filled> {
  const post = async (below: string, body: Json): Promise<Json> => {
    const answer = await app.api.post(`${path}${below}`, { as: 'stranger', body })
    if (answer.status !== 201) throw new Error(`nothing made at ${below}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { data: schemas } = (await app.api.get(`${path}/schemas`, { as: 'stranger', query: { 'page[limit]': 200 } }))
    .body
  const ids: string[] = []
  const texts: string[] = []
  for (const { attributes: schema } of schemas.filter(({ attributes }: Json) => attributes.readOnly !== true)) {
    for (const known of ['id', 'values', 'nothing']) {
      const text = `${known === 'values' ? knownMark : mark}${++serial}x`
      const { id } = (
        await post(`/objects/${schema.title}/records`, {
          data: { type: schema.title, attributes: markedAttributes(schema, text) },
        })
      ).data
      if (known === 'id') ids.push(id)
      if (known === 'values') texts.push(text, `${text}@canary.example`, `${text}.example`)
      if (schema.title === 'message') continue
      const comment = await post('/comments', {
        entity: schema.title,
        owner_id: id,
        message: markedByType['rich_text']!(`${mark}${++serial}x`).text,
      })
      if (known === 'id') ids.push(comment._id)
    }
  }
  const key = await post('/api-keys', { data: { type: 'api-key', attributes: { name: `${mark}${++serial}x` } } })
  ids.push(key.data.id)
  await app.api.patch(path, {
    as: 'stranger',
    body: { data: { type: 'workspace', attributes: { name: `${mark}${++serial}x` } } },
  })
  const secret = new Set((await app.rows(await app.workspaceId('other'))).flatMap((row) => row.match(uuid) ?? []))
  for (const id of ids) secret.delete(id)
  return { secrets: new Secrets(secret), foreign: { ids, texts, cursors: await cursorsOf(app) } }
}

function markedAttributes(schema: Json, text: string): Json {
  const fields = Object.entries<Json>(schema.properties).filter(
    ([, { readOnly, xSvcType }]) => readOnly !== true && xSvcType in markedByType,
  )
  return Object.fromEntries(fields.map(([name, { xSvcType }]) => [name, markedByType[xSvcType]!(text)]))
}

/** Cursors that fit the same lists over there. */
async function cursorsOf(app: TestApp): Promise<string[]> {
  const lists = [
    'objects/person/resources',
    'objects/deal/resources?sortOrder[column]=name&sortOrder[dir]=ASC',
    'objects/company/resources?sortOrder[column]=annual_revenue&sortOrder[dir]=DESC',
    'schemas',
  ]
  const found: string[] = []
  for (const list of lists) {
    const { body } = await app.api.get(`${path}/${list}`, { as: 'stranger', query: { 'page[limit]': 1 } })
    for (const [name, value] of new URL(body.links.next).searchParams) if (/after|cursor/.test(name)) found.push(value)
  }
  return found
}
