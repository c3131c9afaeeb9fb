// SPDX-License-Identifier: Apache-2.0
//
// Records messages through an Aeron Archive in this process and prints one JSON line: how long it took from the first
// offer until the recording's position has reached the end. bench/peers/journal_peers.py builds and runs it.
//
//   java ... AeronRecording directory=DIR [messages=N] [warmup=N] [bytes=176] [sync=0|1|2] [checksum=none|crc32c]
//            [threading=shared|dedicated] [idle=backoff|yield|spin] [publish=offer|claim]

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.ArchivingMediaDriver;
import io.aeron.archive.checksum.Checksum;
import io.aeron.archive.checksum.Checksums;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.codecs.SourceLocation;
import io.aeron.archive.status.RecordingPos;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.agrona.concurrent.status.CountersReader;

public final class AeronRecording {
  private static final String CHANNEL = "aeron:ipc?term-length=64m";
  private static final String CONTROL = "aeron:ipc?term-length=64k";
  private static final int SEGMENT_BYTES = 128 * 1024 * 1024;
  private static final int SPINS_BEFORE_YIELD = 100;

  /** What one recording took. */
  private record Timed(double seconds, double processorSeconds, long backPressured, long recordedBytes) {}

  private final Map<String, String> options = new HashMap<>();
  private final AtomicReference<Throwable> trouble = new AtomicReference<>();

  private AeronRecording(final String[] words) {
    for (final String word : words) {
      final int at = word.indexOf('=');
      if (at < 0) throw new IllegalArgumentException("expected NAME=VALUE, got: " + word);
      options.put(word.substring(0, at), word.substring(at + 1));
    }
  }

  private String text(final String name, final String otherwise) {
    return options.getOrDefault(name, otherwise);
  }

  private int integer(final String name, final int otherwise) {
    return Integer.parseInt(text(name, Integer.toString(otherwise)));
  }

  /** Each of Aeron's threads has one of its own: some have a state. */
  private Supplier<IdleStrategy> idle() {
    final String kind = text("idle", "backoff");
    return switch (kind) {
      case "backoff" -> BackoffIdleStrategy::new;
      case "yield" -> YieldingIdleStrategy::new;
      case "spin" -> BusySpinIdleStrategy::new;
      default -> throw new IllegalArgumentException("idle=" + kind);
    };
  }

  private MediaDriver.Context driver(final String directory) {
    final Supplier<IdleStrategy> idle = idle();
    final boolean isShared = "shared".equals(text("threading", "shared"));
    return new MediaDriver.Context()
        .aeronDirectoryName(directory)
        .dirDeleteOnStart(true)
        .dirDeleteOnShutdown(true)
        .threadingMode(isShared ? ThreadingMode.SHARED : ThreadingMode.DEDICATED)
        .sharedIdleStrategy(idle.get())
        .conductorIdleStrategy(idle.get())
        .receiverIdleStrategy(new BackoffIdleStrategy()) // nothing comes from a network
        .senderIdleStrategy(new BackoffIdleStrategy())
        .termBufferSparseFile(false)
        .spiesSimulateConnection(true)
        .errorHandler(error -> trouble.compareAndSet(null, error));
  }

  private Archive.Context archive(final String directory) {
    final Supplier<IdleStrategy> idle = idle();
    final boolean isShared = "shared".equals(text("threading", "shared"));
    final int sync = integer("sync", 0);
    final Checksum checksum = "crc32c".equals(text("checksum", "none")) ? Checksums.crc32c() : null;
    return new Archive.Context()
        .archiveDir(new File(directory))
        .deleteArchiveOnStart(true)
        .threadingMode(isShared ? ArchiveThreadingMode.SHARED : ArchiveThreadingMode.DEDICATED)
        .idleStrategySupplier(idle)
        .recorderIdleStrategySupplier(idle)
        .replayerIdleStrategySupplier(BackoffIdleStrategy::new) // nothing is replayed
        .segmentFileLength(SEGMENT_BYTES)
        .fileSyncLevel(sync)
        .catalogFileSyncLevel(sync)
        .recordChecksum(checksum)
        .recordingEventsEnabled(false)
        .controlChannelEnabled(false)
        .localControlChannel(CONTROL)
        .archiveClientContext(
            new AeronArchive.Context().controlRequestChannel(CONTROL).controlResponseChannel(CONTROL))
        .replicationChannel("aeron:udp?endpoint=localhost:0")
        .errorHandler(error -> trouble.compareAndSet(null, error));
  }

  private static void pause(final int attempt) {
    if (attempt < SPINS_BEFORE_YIELD) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }

  private void refuseTrouble() {
    final Throwable error = trouble.get();
    if (error != null) throw new IllegalStateException("Aeron reported an error", error);
  }

  /** One message in; the number of attempts that were refused. */
  private static int offer(final ExclusivePublication publication, final UnsafeBuffer message, final int bytes) {
    int refused = 0;
    while (true) {
      final long position = publication.offer(message, 0, bytes);
      if (position > 0) return refused;
      refuseEnd(position);
      pause(refused++);
    }
  }

  /** The same without a copy in between: the message is made where it is sent from. */
  private static int claim(
      final ExclusivePublication publication, final BufferClaim claim, final UnsafeBuffer message, final int bytes) {
    int refused = 0;
    while (true) {
      final long position = publication.tryClaim(bytes, claim);
      if (position > 0) {
        claim.buffer().putBytes(claim.offset(), message, 0, bytes);
        claim.commit();
        return refused;
      }
      refuseEnd(position);
      pause(refused++);
    }
  }

  private static void refuseEnd(final long position) {
    if (position == ExclusivePublication.CLOSED || position == ExclusivePublication.MAX_POSITION_EXCEEDED
        || position == ExclusivePublication.NOT_CONNECTED)
      throw new IllegalStateException("the publication ended: " + position);
  }

  private static double processorSeconds() {
    final var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / 1e9;
  }

  /** Records `count` messages as a recording of their own, which is removed again. */
  private Timed record(
      final Aeron aeron, final AeronArchive archive, final int stream, final long count, final int bytes) {
    final UnsafeBuffer message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(bytes, BitUtil.CACHE_LINE_LENGTH));
    for (int at = 0; at < bytes; ++at) message.putByte(at, (byte) (at * 7 + 1));
    final boolean isClaiming = "claim".equals(text("publish", "offer"));
    final BufferClaim claim = new BufferClaim();
    final CountersReader counters = aeron.countersReader();
    final long subscription = archive.startRecording(CHANNEL, stream, SourceLocation.LOCAL);
    final Timed timed;
    final long recording;
    try (ExclusivePublication publication = aeron.addExclusivePublication(CHANNEL, stream)) {
      int counter;
      while ((counter = RecordingPos.findCounterIdBySession(counters, publication.sessionId(), archive.archiveId()))
              == CountersReader.NULL_COUNTER_ID
          || !publication.isConnected()) {
        refuseTrouble();
        Thread.yield();
      }
      recording = RecordingPos.getRecordingId(counters, counter);

      final double processorBegin = processorSeconds();
      final long begin = System.nanoTime();
      long refused = 0;
      if (isClaiming) {
        for (long sent = 0; sent < count; ++sent) refused += claim(publication, claim, message, bytes);
      } else {
        for (long sent = 0; sent < count; ++sent) refused += offer(publication, message, bytes);
      }
      final long end = publication.position();
      int attempt = 0;
      while (counters.getCounterValue(counter) < end) {
        pause(attempt++);
        if ((attempt & 0xffff) == 0) refuseTrouble();
      }
      final double seconds = (System.nanoTime() - begin) / 1e9;
      timed = new Timed(seconds, processorSeconds() - processorBegin, refused, end);
    }
    archive.stopRecording(subscription);
    while (archive.getStopPosition(recording) == AeronArchive.NULL_POSITION) Thread.yield();
    if (archive.getStopPosition(recording) != timed.recordedBytes())
      throw new IllegalStateException("the recording is not whole: it ends at " + archive.getStopPosition(recording));
    refuseTrouble();
    archive.purgeRecording(recording);
    return timed;
  }

  private void run() {
    final String directory = options.get("directory");
    if (directory == null) throw new IllegalArgumentException("directory=DIR is needed");
    final long messages = integer("messages", 1_000_000);
    final long warmup = integer("warmup", 1_000_000);
    final int bytes = integer("bytes", 176);
    final File shared = new File("/dev/shm");
    final String driverDirectory =
        (shared.isDirectory() ? shared.getPath() : System.getProperty("java.io.tmpdir")) + "/dojima-peer-aeron-"
            + ProcessHandle.current().pid();
    final Timed timed;
    try (ArchivingMediaDriver driver = ArchivingMediaDriver.launch(driver(driverDirectory), archive(directory));
        Aeron aeron = Aeron.connect(
            new Aeron.Context().aeronDirectoryName(driverDirectory).preTouchMappedMemory(true));
        AeronArchive archive = AeronArchive.connect(
            new AeronArchive.Context()
                .aeron(aeron)
                .controlRequestChannel(CONTROL)
                .controlResponseChannel(CONTROL))) {
      if (warmup > 0) record(aeron, archive, 1001, warmup, bytes);
      timed = record(aeron, archive, 1002, messages, bytes);
    }
    System.out.printf(
        Locale.ROOT,
        "{\"messages\": %d, \"bytes\": %d, \"seconds\": %.9f, \"ns_per_message\": %.3f, \"processor_ns_per_message\": %.3f,"
            + " \"refused\": %d, \"recorded_bytes\": %d, \"version\": \"Aeron %s, Java %s\"}%n",
        messages, bytes, timed.seconds(), 1e9 * timed.seconds() / messages, 1e9 * timed.processorSeconds() / messages,
        timed.backPressured(), timed.recordedBytes(), io.aeron.AeronVersion.VERSION, Runtime.version().feature());
  }

  public static void main(final String[] words) {
    new AeronRecording(words).run();
  }
}
