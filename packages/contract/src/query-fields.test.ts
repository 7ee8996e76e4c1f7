import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { filterQuery } from './filters.ts'
import { pageQuery, sortQuery } from './paging.ts'
import { queryFields, type QueryField } from './query-fields.ts'
import { commaList } from './shared.ts'

const summary = ({ name, path, kind, required }: QueryField) => ({ name, path, kind, required })
const one = (schema: z.ZodType) => queryFields(z.strictObject({ it: schema }))[0]

describe('queryFields', () => {
  it('spells nested objects with brackets and looks through defaults', () => {
    expect(queryFields(z.strictObject({ ...pageQuery() })).map(summary)).toEqual([
      { name: 'page[offset]', path: ['page', 'offset'], kind: 'number', required: false },
      { name: 'page[limit]', path: ['page', 'limit'], kind: 'number', required: false },
      { name: 'page[after]', path: ['page', 'after'], kind: 'string', required: false },
      { name: 'page[before]', path: ['page', 'before'], kind: 'string', required: false },
    ])
  })

  it('spells a union of an object and an array of it both ways', () => {
    const fields = queryFields(z.strictObject({ ...sortQuery }))
    expect(fields.map(summary)).toEqual([
      { name: 'sortOrder[column]', path: ['sortOrder', 'column'], kind: 'string', required: false },
      { name: 'sortOrder[dir]', path: ['sortOrder', 'dir'], kind: 'string', required: false },
      { name: 'sortOrder', path: ['sortOrder'], kind: 'indexed', required: false },
    ])
    const last = fields[2]
    if (last?.kind !== 'indexed') throw new Error('expected an indexed field')
    expect(last.itemsMax).toBe(5)
    expect(last.fields.map(summary)).toEqual([
      { name: 'column', path: ['column'], kind: 'string', required: true },
      { name: 'dir', path: ['dir'], kind: 'string', required: true },
    ])
  })

  it('leaves the keys of a record open', () => {
    expect(queryFields(z.strictObject({ ...filterQuery }))).toMatchObject([
      { name: 'filter', kind: 'free', value: 'string' },
    ])
    expect(one(z.record(z.string(), commaList(z.string())))).toMatchObject({ kind: 'free', value: 'list' })
  })

  it('leaves the operators of one member open, which may also stand bare', () => {
    const query = z.strictObject({
      filter: z.strictObject({ name: z.union([z.string(), z.record(z.string(), z.string())]) }),
    })
    expect(queryFields(query)).toMatchObject([
      { name: 'filter[name]', path: ['filter', 'name'], kind: 'free', value: 'string', isBare: true },
    ])
  })

  it.each([
    ['string', z.string()],
    ['string', z.enum(['a', 'b']).nullable().optional()],
    ['string', z.literal('none')],
    ['string', z.union([z.literal('a'), z.string()])],
    ['string', z.string().transform((text) => text.length)],
    ['number', z.int().min(1).default(3)],
    ['number', z.literal([1, 2])],
    ['boolean', z.boolean().optional()],
  ] as const)('knows a %s', (kind, schema) => {
    expect(one(schema)).toMatchObject({ name: 'it', path: ['it'], kind })
  })

  it('names the kind of a list’s items', () => {
    expect(one(commaList(z.int()).optional())).toMatchObject({ kind: 'list', item: 'number', required: false })
  })

  it('requires what has neither default nor optional, however deep', () => {
    const query = z.strictObject({
      a: z.strictObject({ b: z.strictObject({ c: z.string(), d: z.string().optional() }) }),
      e: z.strictObject({ f: z.string() }).optional(),
    })
    expect(queryFields(query).map(({ name, required }) => [name, required])).toEqual([
      ['a[b][c]', true],
      ['a[b][d]', false],
      ['e[f]', false],
    ])
  })

  it('refuses what a URL cannot tell apart', () => {
    expect(() => one(z.union([z.string(), z.number()]))).toThrow('query parameter it: a union has no spelling')
    expect(() => one(z.date())).toThrow('query parameter it: a date has no spelling')
    expect(() => one(z.array(z.strictObject({ free: z.record(z.string(), z.string()) })))).toThrow('only plain members')
  })
})
