/** Room for so many entries of an LRUCache, taken as they come: `max` lays it all out at once, 1 ms for 10,000. */
export const roomFor = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
