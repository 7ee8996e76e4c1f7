import { pointer } from '../../lib/pointers.ts'

/** Attributes, and their location in the body. */
export type GivenAttributes<A> = { readonly attributes: A; readonly path: readonly string[] }

type Wrapped<A> = { readonly data: { readonly id?: string | undefined; readonly attributes: A } }

const isWrapped = <A extends object>(body: A | Wrapped<A>): body is Wrapped<A> => 'data' in body

/** The attributes of a body, which are sent bare or in the envelope of a resource. */
export const given = <A extends object>(
  body: A | Wrapped<A>,
): GivenAttributes<A> & { readonly id: string | undefined } =>
  isWrapped(body)
    ? { attributes: body.data.attributes, path: ['data', 'attributes'], id: body.data.id }
    : { attributes: body, path: [], id: undefined }

/** The location of a part of the attributes, for an error that points there. */
export const sourceOf = (
  { path }: Pick<GivenAttributes<unknown>, 'path'>,
  ...below: readonly (string | number)[]
): { pointer: string } => ({ pointer: pointer([...path, ...below]) })
