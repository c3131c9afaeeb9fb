import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import quickfix.Application;
import quickfix.ConfigError;
import quickfix.DefaultMessageFactory;
import quickfix.Field;
import quickfix.FieldNotFound;
import quickfix.FileLogFactory;
import quickfix.FileStoreFactory;
import quickfix.Message;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionSettings;
import quickfix.SocketAcceptor;
import quickfix.SocketInitiator;
import quickfix.field.ClOrdID;
import quickfix.field.EncryptMethod;
import quickfix.field.HandlInst;
import quickfix.field.HeartBtInt;
import quickfix.field.MsgType;
import quickfix.field.OrdType;
import quickfix.field.OrderQty;
import quickfix.field.PossDupFlag;
import quickfix.field.PossResend;
import quickfix.field.ResetSeqNumFlag;
import quickfix.field.Side;
import quickfix.field.Symbol;
import quickfix.field.Text;
import quickfix.field.TransactTime;

/**
 * One session of QuickFIX/J with stores on disk. An initiator sends orders and keeps an account of what comes back; an
 * acceptor sends every order back and keeps one of what came. Commands come on standard input, and each that is finished
 * is answered by one line of JSON (Account); a command ends the one before.
 *
 *   upto N     sends orders until N are sent in all lives, and all have come back
 *   numbers    nothing but the answer
 *   reset      begins the numbers at 1 with a Logon in the live session
 *   stop       ends in order
 *   halt       ends at once, without a word to the peer and without an answer; so does the end of the input
 *
 *   java QuickFixJSession role=initiator begin=FIX.4.4 sender=QFJ target=ECHO port=9878 directory=DIR open=100
 *       [Setting=VALUE...]
 */
public final class QuickFixJSession implements Application {
  private final Map<String, String> options = new TreeMap<>();
  private final LinkedBlockingQueue<String> commands = new LinkedBlockingQueue<>();
  private final boolean isAcceptor;
  private final long mostOpen;
  private final SessionID id;
  private final Account account;

  private QuickFixJSession(String[] words) throws IOException {
    for (String word : words) {
      String[] parts = word.split("=", 2);
      if (parts.length != 2) throw new IllegalArgumentException("not NAME=VALUE: " + word);
      options.put(parts[0], parts[1]);
    }
    mostOpen = Long.parseLong(options.getOrDefault("open", "100"));
    isAcceptor = options.get("role").equals("acceptor");
    id = new SessionID(options.get("begin"), options.get("sender"), options.get("target"));
    Path directory = Path.of(options.get("directory"));
    Files.createDirectories(directory);
    account = new Account(directory.resolve("account"));
  }

  private SessionSettings settings() {
    SessionSettings settings = new SessionSettings();
    Map<String, String> all = new TreeMap<>();
    all.put("ConnectionType", options.get("role"));
    all.put(isAcceptor ? "SocketAcceptPort" : "SocketConnectPort", options.get("port"));
    all.put(isAcceptor ? "SocketAcceptAddress" : "SocketConnectHost", "127.0.0.1");
    all.put("SocketReuseAddress", "Y");
    all.put("ReconnectInterval", "1");
    all.put("HeartBtInt", "10");
    all.put("UseDataDictionary", "Y");
    all.put("FileStorePath", options.get("directory") + "/store");
    all.put("FileLogPath", options.get("directory") + "/log");
    if (!options.containsKey("StartTime")) all.put("NonStopSession", "Y");
    options.forEach((name, value) -> {
      if (Character.isUpperCase(name.charAt(0))) all.put(name, value);
    });
    all.forEach((name, value) -> settings.setString(id, name, value));
    return settings;
  }

  // ------------------------------------------------------------------------------------------------- what QuickFIX/J calls

  @Override public void onCreate(SessionID session) {}
  @Override public void onLogout(SessionID session) {}
  @Override public void toApp(Message message, SessionID session) {}

  @Override public void onLogon(SessionID session) {
    account.note("logon");
  }
  @Override public void toAdmin(Message message, SessionID session) {
    noteAdmin("sent", message);
  }
  @Override public void fromAdmin(Message message, SessionID session) {
    noteAdmin("received", message);
  }

  @Override public void fromApp(Message message, SessionID session) throws FieldNotFound {
    if (!message.getHeader().getString(MsgType.FIELD).equals(MsgType.ORDER_SINGLE)) {
      noteAdmin("received", message);
      return;
    }
    long number = Long.parseLong(message.getString(ClOrdID.FIELD).substring(1));
    boolean isDuplicate = isSet(message, PossDupFlag.FIELD), isResend = isSet(message, PossResend.FIELD);
    boolean isWhole = message.getString(OrderQty.FIELD).equals(Long.toString(quantityOf(number)))
        && message.getString(Symbol.FIELD).equals("RICE") && message.getChar(Side.FIELD) == Side.BUY;
    account.note("got " + number + " " + (isDuplicate ? 1 : 0) + (isResend ? 1 : 0) + (isWhole ? " ok" : " altered"));
    if (isAcceptor) echo(message, isDuplicate || isResend);
  }

  /** What may have been sent back before says so. */
  private void echo(Message message, boolean mayBeSecond) {
    Message echo = new Message();
    echo.getHeader().setString(MsgType.FIELD, MsgType.ORDER_SINGLE);
    if (mayBeSecond) echo.getHeader().setBoolean(PossResend.FIELD, true);
    for (Iterator<Field<?>> fields = message.iterator(); fields.hasNext();) {
      int tag = fields.next().getTag();
      try {
        echo.setString(tag, message.getString(tag));
      } catch (FieldNotFound impossible) {
        throw new IllegalStateException(impossible);
      }
    }
    session().send(echo);
  }

  private void noteAdmin(String way, Message message) {
    try {
      String type = message.getHeader().getString(MsgType.FIELD);
      String text = message.isSetField(Text.FIELD) ? " " + message.getString(Text.FIELD).replace('\n', ' ') : "";
      if (type.equals(MsgType.LOGOUT)) account.note("logout " + way + text);
      if (type.equals(MsgType.REJECT)) account.note("reject " + way + text);
      if (!message.isAdmin()) account.note("reject " + way + " 35=" + type + text);
    } catch (FieldNotFound impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static boolean isSet(Message message, int tag) throws FieldNotFound {
    return message.getHeader().isSetField(tag) && message.getHeader().getBoolean(tag);
  }

  // -------------------------------------------------------------------------------------------------------------- commands

  private Session session() {
    return Session.lookupSession(id);
  }
  private static long quantityOf(long number) {
    return 1 + number % 1000;
  }

  private void sendOrder(long number) {
    account.note("sent " + number);
    Message order = new Message();
    order.getHeader().setString(MsgType.FIELD, MsgType.ORDER_SINGLE);
    order.setString(ClOrdID.FIELD, "O" + number);
    order.setString(HandlInst.FIELD, "1");
    order.setString(Symbol.FIELD, "RICE");
    order.setString(Side.FIELD, "1");
    order.setString(OrderQty.FIELD, Long.toString(quantityOf(number)));
    order.setString(OrdType.FIELD, "1");
    if (id.getBeginString().compareTo("FIX.4.1") > 0)
      order.setUtcTimeStamp(TransactTime.FIELD, LocalDateTime.now(ZoneOffset.UTC), true);
    session().send(order);
  }

  private void sendReset() {
    Message logon = new Message();
    logon.getHeader().setString(MsgType.FIELD, MsgType.LOGON);
    logon.setInt(EncryptMethod.FIELD, 0);
    logon.setInt(HeartBtInt.FIELD, 10);
    logon.setBoolean(ResetSeqNumFlag.FIELD, true);
    if (id.isFIXT()) logon.setString(1137, options.get("applver"));
    session().send(logon);
  }

  /** Until it is so, or until another command has come: then false. */
  private boolean await(BooleanSupplier condition) throws InterruptedException {
    while (commands.isEmpty()) {
      if (condition.getAsBoolean()) return true;
      Thread.sleep(5);
    }
    return false;
  }

  private boolean sendUpTo(long count) throws InterruptedException {
    if (!await(() -> session().isLoggedOn())) return false;
    while (commands.isEmpty()) {
      boolean isRoom = account.isBelow(mostOpen);
      if (account.sent() < count) {
        if (isRoom) sendOrder(account.sent());
      } else if (account.isBelow(1)) {
        return true;
      }
    }
    return false;
  }

  private void answer(String command, Session session) throws IOException {
    System.out.println(account.json(command, session.getExpectedSenderNum(), session.getExpectedTargetNum()));
    System.out.flush();
  }

  private void obey() throws Exception {
    for (;;) {
      String command = commands.poll(1, TimeUnit.HOURS);
      String[] words = command == null ? new String[] {"halt"} : command.split(" ");
      switch (words[0]) {
        case "upto" -> {
          if (!sendUpTo(Long.parseLong(words[1]))) continue;
        }
        case "reset" -> {
          long before = account.logons();
          sendReset();
          if (!await(() -> session().isLoggedOn() && account.logons() > before)) continue;
        }
        case "numbers" -> {}
        case "stop" -> {
          return;
        }
        case "halt" -> Runtime.getRuntime().halt(0);
        default -> throw new IllegalArgumentException("no command: " + command);
      }
      answer(command, session());
    }
  }

  private void readCommands() {
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in))) {
      for (String line; (line = lines.readLine()) != null;) commands.add(line);
    } catch (IOException trouble) {
      System.err.println("standard input: " + trouble);
    }
    commands.add("halt");
  }

  private void run() throws Exception {
    SessionSettings settings = settings();
    FileStoreFactory stores = new FileStoreFactory(settings);
    FileLogFactory logs = new FileLogFactory(settings);
    Runnable stop = isAcceptor ? accept(settings, stores, logs) : initiate(settings, stores, logs);
    Session session = session();
    Thread reader = new Thread(this::readCommands);
    reader.setDaemon(true);
    reader.start();
    System.out.println("{\"answer\": \"ready\"}");
    obey();
    stop.run();
    answer("stop", session);
    System.exit(0);
  }

  private Runnable accept(SessionSettings settings, FileStoreFactory stores, FileLogFactory logs) throws ConfigError {
    SocketAcceptor acceptor = new SocketAcceptor(this, stores, settings, logs, new DefaultMessageFactory());
    acceptor.start();
    return () -> acceptor.stop(false);
  }
  private Runnable initiate(SessionSettings settings, FileStoreFactory stores, FileLogFactory logs) throws ConfigError {
    SocketInitiator initiator = new SocketInitiator(this, stores, settings, logs, new DefaultMessageFactory());
    initiator.start();
    return () -> initiator.stop(false);
  }

  public static void main(String[] words) throws Exception {
    new QuickFixJSession(words).run();
  }
}
