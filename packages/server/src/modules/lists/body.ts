import { pointer } from '../../kernel/pointers.ts'

/** Attributes, and where in the body they stand. */
export type GivenAttributes<A> = { readonly attributes: A; readonly path: readonly string[] }

type Wrapped<A> = { readonly data: { readonly id?: string | undefined; readonly attributes: A } }

const isWrapped = <A extends object>(body: A | Wrapped<A>): body is Wrapped<A> => 'data' in body

/** What a body says, bare or in the envelope of a resource. */
export const given = <A extends object>(
  body: A | Wrapped<A>,
): GivenAttributes<A> & { readonly id: string | undefined } =>
  isWrapped(body)
    ? { attributes: body.data.attributes, path: ['data', 'attributes'], id: body.data.id }
    : { attributes: body, path: [], id: undefined }

/** Where a part of the attributes stands, for an error that points there. */
export const sourceOf = (
  { path }: Pick<GivenAttributes<unknown>, 'path'>,
  ...below: readonly (string | number)[]
): { pointer: string } => ({ pointer: pointer([...path, ...below]) })
