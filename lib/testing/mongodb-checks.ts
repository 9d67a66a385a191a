import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Db, GridFSBucket, type MongoClient } from 'mongodb';

type Check = (db: Db, client: MongoClient) => Promise<void>;

/** An empty collection with these documents. */
async function collectionOf(db: Db, name: string, documents: readonly Record<string, unknown>[] = []) {
  const collection = db.collection(name);
  await collection.drop().catch(() => {});
  if (documents.length > 0) await collection.insertMany(documents.map((one) => ({ ...one })));
  return collection;
}

const people = [
  { name: 'Ada', age: 36, tags: ['a', 'b'], city: 'London' },
  { name: 'Grace', age: 85, tags: ['b'], city: 'New York' },
  { name: 'Edsger', age: 72, tags: ['c'], city: 'Nuenen' },
];

const stage = async (db: Db, pipeline: Record<string, unknown>[]) =>
  (await collectionOf(db, 'staged', people)).aggregate(pipeline).toArray();

/** What applications use of MongoDB, with its own driver. Each throws where the server behaves otherwise. */
export const mongodbChecks: Readonly<Record<string, Check>> = {
  async 'documents are written, read, changed and deleted'(db) {
    const own = await collectionOf(db, 'own', people);
    assert.equal(await own.countDocuments({ age: { $gt: 40 } }), 2);
    const found = await own.findOne({ name: 'Ada' }, { projection: { _id: 0, name: 1 } });
    assert.deepEqual(found, { name: 'Ada' });
    const tagged = db.collection<{ name: string; age: number; tags: string[] }>('own');
    assert.equal(
      (await tagged.updateOne({ name: 'Ada' }, { $set: { age: 37 }, $push: { tags: 'd' } })).modifiedCount,
      1,
    );
    assert.equal((await own.replaceOne({ name: 'Grace' }, { name: 'Grace', age: 86 })).modifiedCount, 1);
    assert.equal((await own.updateOne({ name: 'Alan' }, { $set: { age: 41 } }, { upsert: true })).upsertedCount, 1);
    assert.equal((await own.deleteMany({ age: { $gte: 72 } })).deletedCount, 2);
    assert.deepEqual((await own.distinct('name')).toSorted(), ['Ada', 'Alan']);
  },
  async 'arrays are changed by position and by filter'(db) {
    const own = await collectionOf(db, 'own', [{ list: [{ n: 1 }, { n: 2 }, { n: 3 }] }]);
    await own.updateOne({ 'list.n': 2 }, { $set: { 'list.$.hit': true } });
    await own.updateOne({}, { $inc: { 'list.$[big].n': 10 } }, { arrayFilters: [{ 'big.n': { $gte: 3 } }] });
    const found = await own.findOne({}, { projection: { _id: 0 } });
    assert.deepEqual(found, { list: [{ n: 1 }, { n: 2, hit: true }, { n: 13 }] });
  },
  async 'bulk writes say what each part did'(db) {
    const own = await collectionOf(db, 'own');
    const result = await own.bulkWrite([
      { insertOne: { document: { a: 1 } } },
      { insertOne: { document: { a: 2 } } },
      { updateOne: { filter: { a: 1 }, update: { $set: { b: 1 } } } },
      { deleteOne: { filter: { a: 2 } } },
    ]);
    assert.deepEqual([result.insertedCount, result.modifiedCount, result.deletedCount], [2, 1, 1]);
  },
  async 'findAndModify returns the document before and after'(db) {
    const own = await collectionOf(db, 'own', [{ key: 1, n: 0 }]);
    const before = await own.findOneAndUpdate({ key: 1 }, { $inc: { n: 1 } });
    const after = await own.findOneAndUpdate({ key: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after' });
    assert.deepEqual([before?.n, after?.n], [0, 2]);
    assert.equal((await own.findOneAndDelete({ key: 1 }))?.n, 2);
  },
  async 'a unique index refuses a second one, a partial one only where its filter holds'(db) {
    const own = await collectionOf(db, 'own', people);
    await own.createIndex({ name: 1 }, { unique: true });
    await assert.rejects(own.insertOne({ name: 'Ada' }), { code: 11000 });
    await own.createIndex({ city: 1, age: -1 }, { partialFilterExpression: { age: { $gt: 40 } } });
    assert.equal((await own.indexes()).length, 3);
  },
  async 'TTL and 2dsphere indexes are made, and the latter searches'(db) {
    const own = await collectionOf(db, 'own', [
      { text: 'coffee and cake', at: new Date(), place: { type: 'Point', coordinates: [7.1, 50.7] } },
      { text: 'tea', at: new Date(), place: { type: 'Point', coordinates: [13.4, 52.5] } },
    ]);
    await own.createIndex({ at: 1 }, { expireAfterSeconds: 3_600 });
    await own.createIndex({ place: '2dsphere' });
    const near = { $near: { $geometry: { type: 'Point', coordinates: [7, 50.7] }, $maxDistance: 50_000 } };
    assert.deepEqual(
      (await own.find({ place: near }).toArray()).map((one) => one.text),
      ['coffee and cake'],
    );
  },
  async '$match, $group, $sort and $project'(db) {
    const found = await stage(db, [
      { $match: { age: { $gt: 30 } } },
      { $group: { _id: null, mean: { $avg: '$age' }, oldest: { $max: '$age' } } },
      { $project: { _id: 0, oldest: 1, mean: { $round: ['$mean', 1] } } },
    ]);
    assert.deepEqual(found, [{ oldest: 85, mean: 64.3 }]);
  },
  async '$lookup, $unwind and $replaceRoot'(db) {
    await collectionOf(db, 'cities', [{ city: 'London', country: 'UK' }]);
    const found = await stage(db, [
      { $lookup: { from: 'cities', localField: 'city', foreignField: 'city', as: 'place' } },
      { $unwind: '$place' },
      { $replaceRoot: { newRoot: { name: '$name', country: '$place.country' } } },
    ]);
    assert.deepEqual(found, [{ name: 'Ada', country: 'UK' }]);
  },
  async '$facet, $bucket, $unionWith and $setWindowFields'(db) {
    const [found] = await stage(db, [
      {
        $facet: {
          ages: [{ $bucket: { groupBy: '$age', boundaries: [0, 50, 100], output: { n: { $sum: 1 } } } }],
          ranked: [
            { $setWindowFields: { sortBy: { age: -1 }, output: { rank: { $rank: {} } } } },
            { $match: { rank: 1 } },
          ],
        },
      },
    ]);
    assert.deepEqual(found?.ages, [
      { _id: 0, n: 1 },
      { _id: 50, n: 2 },
    ]);
    assert.equal(found?.ranked[0]?.name, 'Grace');
    const united = await stage(db, [{ $unionWith: 'staged' }, { $count: 'n' }]);
    assert.deepEqual(united, [{ n: 6 }]);
  },
  async '$graphLookup, $merge and $out'(db) {
    const own = await collectionOf(db, 'own', [
      { _id: 1, above: null },
      { _id: 2, above: 1 },
      { _id: 3, above: 2 },
    ]);
    const search = { from: 'own', startWith: '$above', connectFromField: 'above', connectToField: '_id', as: 'all' };
    const [found] = await own.aggregate([{ $match: { _id: 3 } }, { $graphLookup: search }]).toArray();
    assert.equal(found?.all.length, 2);
    for (const end of [{ $merge: { into: 'target' } }, { $out: 'target' }]) {
      await collectionOf(db, 'target');
      await own.aggregate([{ $match: {} }, end]).toArray();
      assert.equal(await db.collection('target').countDocuments(), 3);
    }
  },
  async 'a transaction is there as a whole or not at all'(db, client) {
    const own = await collectionOf(db, 'own', [{ key: 'a', n: 10 }]);
    const session = client.startSession();
    const move = async (fails: boolean) => {
      await own.updateOne({ key: 'a' }, { $inc: { n: -1 } }, { session });
      await own.insertOne({ key: 'moved' }, { session });
      if (fails) throw new Error('no');
    };
    await assert.rejects(session.withTransaction(() => move(true)));
    assert.equal(await own.countDocuments({ key: 'moved' }), 0);
    await session.withTransaction(() => move(false));
    assert.equal((await own.findOne({ key: 'a' }))?.n, 9);
    await session.endSession();
  },
  async 'a change stream tells of changes, and goes on where it was'(db) {
    const own = await collectionOf(db, 'own', [{ n: 0 }]);
    const stream = own.watch();
    const first = stream.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await own.insertMany([{ n: 1 }, { n: 2 }]);
    const change = await first;
    assert.equal(change.operationType, 'insert');
    await stream.close();
    const resumed = own.watch([], { resumeAfter: change._id });
    const next = await resumed.next();
    assert.equal(next.operationType === 'insert' && next.fullDocument.n, 2);
    await resumed.close();
  },
  async 'GridFS keeps files'(db) {
    const bucket = new GridFSBucket(db);
    const content = 'x'.repeat(600_000);
    await new Promise((resolve, reject) => {
      Readable.from([content]).pipe(bucket.openUploadStream('file')).on('finish', resolve).on('error', reject);
    });
    assert.equal(await text(bucket.openDownloadStreamByName('file')), content);
  },
  async 'a collation compares as people do'(db) {
    const own = await collectionOf(db, 'own', [{ name: 'ADA' }, { name: 'ada' }, { name: 'Bob' }]);
    assert.equal(await own.countDocuments({ name: 'ada' }, { collation: { locale: 'en', strength: 2 } }), 2);
  },
  async 'explain says that an index is used'(db) {
    const own = await collectionOf(db, 'own', people);
    await own.createIndex({ age: 1 });
    assert.match(JSON.stringify(await own.find({ age: 36 }).explain()), /IXSCAN/);
  },
  async 'a validator and a capped collection hold'(db) {
    await db
      .collection('valid')
      .drop()
      .catch(() => {});
    await db.createCollection('valid', { validator: { $jsonSchema: { required: ['name'] } } });
    await assert.rejects(db.collection('valid').insertOne({ other: 1 }), { code: 121 });
    await db
      .collection('capped')
      .drop()
      .catch(() => {});
    const capped = await db.createCollection('capped', { capped: true, size: 10_000, max: 2 });
    for (const n of [1, 2, 3]) await capped.insertOne({ n });
    assert.deepEqual(
      (await capped.find().toArray()).map(({ n }) => n),
      [2, 3],
    );
  },
};
