/** A resource (spec §2). Its type stays literal, so that an answer made of it fits its endpoint without annotations. */
export const resource = <Type extends string, Attributes extends object>(
  type: Type,
  id: string,
  attributes: Attributes,
) => ({ type, id, attributes })
